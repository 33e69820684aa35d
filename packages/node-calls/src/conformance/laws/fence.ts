import { noSignal } from "@ganeti-ts/protocol";
import { lawsOf } from "../law.js";

export const fenceLaws = lawsOf("fence", ["fence"], {
  async "A fenced lease is refused from then on, and other leases are not."(trial) {
    const { fence, members } = trial.stage;
    if (fence === undefined) return trial.end("the stage has no fence");
    trial.same((await trial.answer(0, "vg_list", {}, "3:1")).ok, true, "a call before");
    for (let time = 0; time < 2; time++) {
      const answer = await fence.fence(members[0].uuid, ["3:1"], noSignal);
      trial.same(answer, { ok: true, value: null }, "answer of the fence");
    }
    const late = await trial.answer(0, "vg_list", {}, "3:1");
    trial.holds(!late.ok, "a call with a fenced lease succeeds");
    trial.same((await trial.answer(0, "vg_list", {}, "4:1")).ok, true, "a call of another");
    trial.same((await trial.answer(1, "vg_list", {}, "3:1")).ok, true, "a call elsewhere");
  },
});
