import { noSignal } from "@ganeti-ts/protocol";
import { dataDirectory } from "../paths.js";
import { type Law, lawsOf } from "./law.js";
import { damagedDiskLaws } from "./laws/damaged-disks.js";
import { diskLaws } from "./laws/disks.js";
import { exportLaws } from "./laws/exports.js";
import { figureLaws } from "./laws/figures.js";
import { instanceLaws } from "./laws/instances.js";
import { setupLaws } from "./laws/setup.js";
import { storageLaws } from "./laws/storage.js";
import { anInstance } from "./objects.js";

const osLaws = lawsOf("os", ["operating systems"], {
  async "Operating systems that are listed as valid are accepted, and others are refused."(trial) {
    const { os } = trial.stage;
    const listed = await trial.ask(0, "os_diagnose", {});
    const found = listed.find(({ name }) => name === os.split("+", 1)[0]);
    trial.same(found?.valid, true, `the OS ${os} is valid`);
    const question = { checks: ["parameters"] as const, parameters: {}, forceVariant: false };
    const own = { ...question, required: true, name: os };
    trial.same(await trial.ask(0, "os_validate", own), true, "a valid OS");
    const missing = { ...question, name: "missing+default" };
    trial.same(
      await trial.ask(0, "os_validate", { ...missing, required: false }),
      false,
      "a missing OS that is not required",
    );
    await trial.refused(0, "os_validate", { ...missing, required: true }, "the OS is missing");
    const parameters = { "no-such-parameter": "1" };
    const unknown = { ...own, parameters };
    await trial.refused(0, "os_validate", unknown, "the OS does not have such a parameter");
    const path = await trial.ask(0, "os_export", { instance: anInstance({ os }), environment: {} });
    trial.same((await trial.ask(0, "get_file_info", { path })).exists, true, "the archive");
    await trial.ask(0, "extstorage_diagnose", {});
  },
});

const queue = `${dataDirectory}/queue`;

const queueLaws = lawsOf("queue", ["queue"], {
  async "Copies of jobs are written, renamed and removed, in the directory of the queue only."(
    trial,
  ) {
    const [job, archived] = [`${queue}/job-7`, `${queue}/archive/0/job-7`];
    const exists = async (path: string) =>
      (await trial.ask(1, "get_file_info", { path: trial.pathOn(1, path) })).exists;
    await trial.ask(1, "jobqueue_update", { path: job, content: "{}" });
    const outside = { path: "/tmp/job-7", content: "{}" };
    await trial.refused(1, "jobqueue_update", outside, "the path is outside the queue");
    await trial.ask(1, "jobqueue_rename", { renames: [{ from: job, to: archived }] });
    trial.same([await exists(job), await exists(archived)], [false, true], "renamed");
    await trial.ask(1, "jobqueue_set_drain_flag", { drained: true });
    await trial.ask(1, "jobqueue_set_drain_flag", { drained: false });
    await trial.ask(1, "jobqueue_update", { path: job, content: "{}" });
    await trial.ask(1, "jobqueue_purge", {});
    trial.same(await exists(job), false, "a job after the purge");
  },
});

const fenceLaws = lawsOf("fence", ["fence"], {
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

/** All laws of node back ends; together they make every call of the catalog. */
export const laws: readonly Law[] = [
  ...figureLaws,
  ...instanceLaws,
  ...diskLaws,
  ...damagedDiskLaws,
  ...osLaws,
  ...storageLaws,
  ...exportLaws,
  ...setupLaws,
  ...queueLaws,
  ...fenceLaws,
];
