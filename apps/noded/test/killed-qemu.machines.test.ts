// QEMU gets SIGKILL in the middle of a start and at the source of a migration; the daemon survives.
import { beforeEach, expect, test } from "vitest";
import { processOf } from "../src/hypervisor/kvm/process.js";
import type { Runner } from "../src/machine/runner.js";
import {
  bridgedNic,
  describeMachines,
  machine,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

const instance = machine({ nics: [bridgedNic()], hvparams: { cpu_mask: "0" } });

describeMachines("a QEMU that gets SIGKILL", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace("br0");
    node = testNode(space);
  });

  async function killQemu(): Promise<void> {
    process.kill(await node.pid(), "SIGKILL");
    await expect.poll(() => processOf(node.files, instance.name)).toBeNull();
  }

  test.each([
    ["as soon as it runs", (program: string) => program.endsWith("x86_64")],
    ["when it has been pinned", (program: string) => program === "taskset"],
  ] as const)(
    "%s makes the start fail, which leaves nothing and can be repeated",
    async (_, after) => {
      const { run } = node.context;
      let kills = 0;
      const killing: Runner = {
        ...run,
        async run(command) {
          const ended = await run.run(command);
          if (after(command.program) && (await processOf(node.files, instance.name)) !== null) {
            kills += 1;
            await killQemu();
          }
          return ended;
        },
      };
      await expect(node.daemon(killing).start(instance)).rejects.toThrow(/^Hypervisor error: /);
      expect(kills).toBe(1);
      expect([await node.names(), node.remains(), space.taps()]).toEqual([[], [], []]);
      await node.start(instance);
      expect(await node.names()).toEqual([instance.name]);
      await node.stop(instance);
      expect([node.remains(), space.taps()]).toEqual([[], []]);
    },
  );

  test("at the source of a migration leaves nothing on either node after the master has given up the migration", async () => {
    const target = testNode(space);
    await node.start(instance);
    const info = await node.migrationInfo(instance);
    await target.accept(instance, info);
    await killQemu();
    await expect(node.migrate(instance)).rejects.toThrow("Instance not running, cannot migrate");
    await target.endIn(instance, info, false);
    await node.endOut(instance, false);
    expect([await node.names(), await target.names()]).toEqual([[], []]);
    expect([node.remains(), target.remains(), space.taps()]).toEqual([[], [], []]);
    await node.start(instance);
    expect(await node.names()).toEqual([instance.name]);
  });
});
