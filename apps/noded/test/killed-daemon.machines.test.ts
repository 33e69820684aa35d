// The daemon dies at every program that it runs during a start and a migration; a new daemon recovers the node.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { atEveryProgram } from "./dying.js";
import {
  bridgedNic,
  describeMachines,
  entries,
  machine,
  migrate,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

describeMachines("a daemon that dies", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace("br0");
    node = testNode(space);
  });

  test("during a start leaves an instance that runs, or nothing; it can be started again", async () => {
    const instance = machine({ disks: [node.disk("a")], nics: [bridgedNic()] });
    const seen = { running: 0, absent: 0 };
    const deaths = await atEveryProgram(
      node.context.run,
      (run) => node.daemon(run).start(instance),
      async (at) => {
        const { names, start, stop } = await node.begun();
        if ((await names()).length === 0) {
          expect([node.remains(), space.taps()], at).toEqual([[], []]);
          seen.absent += 1;
          await start(instance);
        } else seen.running += 1;
        expect(await node.status(), at).toBe("running");
        await stop(instance);
        expect([await names(), node.remains(), space.taps()], at).toEqual([[], [], []]);
        expect(entries(join(node.context.paths.run, "instance-disks")), at).toEqual([]);
      },
    );
    expect(deaths).toBeGreaterThan(15);
    expect(seen.absent).toBeGreaterThan(10);
    expect(seen.running).toBeGreaterThan(0);
  }, 280_000);

  test("between the start of QEMU and that of its guest leaves nothing after a new daemon has started", async () => {
    const instance = machine({ nics: [bridgedNic()] });
    await node.start(instance, true);
    await node.begun();
    expect(await node.status()).toBe("prelaunch");
    // The same state, except that the interrupted start was not meant to be paused.
    const { runtime } = node.files.of(instance.name);
    writeFileSync(runtime, readFileSync(runtime, "utf8").replace('"-S",', ""));
    expect(await (await node.begun()).names()).toEqual([]);
    expect([node.remains(), space.taps()]).toEqual([[], []]);
  });

  test("during a migration leaves the instance at its source or its target, never at both or none", async () => {
    const target = testNode(space);
    const instance = machine({ nics: [bridgedNic()] });
    const deaths = await atEveryProgram(
      target.context.run,
      async (run) => {
        const source = await node.begun();
        if ((await source.names()).length === 0) await source.start(instance);
        const there = target.daemon(run);
        const info = await migrate(instance, source, there);
        await expect
          .poll(() => source.migrationStatus(instance), { timeout: 60_000 })
          .toBe("completed");
        await there.endIn(instance, info, true);
        await source.endOut(instance, true);
      },
      async (at) => {
        // The master got no answer to its call, so it cleans up like `gnt-instance migrate --cleanup`.
        const [source, there] = [await node.begun(), await target.begun()];
        if (at !== "after the whole call") {
          await there.endIn(instance, await source.migrationInfo(instance), false);
          await source.endOut(instance, false);
          expect([await source.names(), await there.names()], at).toEqual([[instance.name], []]);
          expect(await node.status(), at).toBe("running");
          expect([target.remains(), space.taps().length], at).toEqual([[], 1]);
          return;
        }
        expect([await source.names(), await there.names()], at).toEqual([[], [instance.name]]);
        await there.stop(instance);
        expect([node.remains(), target.remains(), space.taps()], at).toEqual([[], [], []]);
      },
    );
    expect(deaths).toBeGreaterThan(10);
  }, 280_000);

  test("after a reboot of the host there are no files of instances, and they can be started again", async () => {
    const instance = machine({ disks: [node.disk("a")], nics: [bridgedNic()] });
    await node.start(instance);
    // A reboot ends programs and interfaces, and removes everything below /run.
    node.endMachines();
    for (const tap of space.taps()) space.run("ip", "link", "delete", tap);
    node.emptyRun();
    const { names, start } = await node.begun();
    expect(await names()).toEqual([]);
    await start(instance);
    expect(await node.status()).toBe("running");
  });
});
