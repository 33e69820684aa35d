// Creations that take over an existing volume, whose server dies at any effect, and whose node is offline at the recovery.
import { faultsAtRest, lostData } from "@ganeti-ts/simulated-nodes/at-rest";
import { expect, test } from "vitest";
import { makeFiller } from "./support/filler.js";
import { deaths, type Life, reached, recoverAll, setOffline } from "./support/next-server.js";
import { create } from "./support/opcodes.js";

const adopting = create({
  disks: [{ adopt: "filler" }],
  pnode: "node2.example.com",
  start: false,
});
const adoption: Life = {
  before: (first) => makeFiller(first, 2),
  opcode: adopting,
};

test("a volume on a node that is offline at the recovery gets its own name back when it returns", async () => {
  let count = 0;
  for await (const [next, where] of deaths(adoption)) {
    const { config, simulated } = next;
    await setOffline(next, "node2.example.com", true);
    await recoverAll(config, reached(next));
    const isLeft = config.snapshot.count("claim") > 0;
    if (isLeft) count++;
    await setOffline(next, "node2.example.com", false);
    await recoverAll(config, reached(next));
    const faults = [
      ...faultsAtRest(config.snapshot, simulated),
      ...lostData(config.snapshot, simulated),
    ];
    expect(faults, where).toEqual([]);
    if ([...config.snapshot.instances()].length > 0) continue;
    expect(next.volumesOn(2), where).toEqual(["filler"]);
    // Another creation may take it.
    expect(await next.run(adopting), where).toMatchObject({ status: "success" });
    expect(lostData(config.snapshot, simulated), where).toEqual([]);
  }
  expect(count).toBeGreaterThan(2);
});
