// The daemon dies at every command that it sends to QEMU during a start, a migration and a hotplug; a new daemon recovers.
import { readFileSync } from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import { readRuntime } from "../src/hypervisor/kvm/runtime.js";
import { atEveryCommand, type Moment } from "./dying.js";
import {
  bridgedNic,
  describeMachines,
  machine,
  migrate,
  type Namespace,
  namespace,
  type TestDaemon,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

vi.mock("../src/hypervisor/kvm/qmp.js", async (original) => {
  const [real, { mortal }] = [
    await original<typeof import("../src/hypervisor/kvm/qmp.js")>(),
    await import("./dying.js"),
  ];
  return { ...real, withQmp: mortal(real.withQmp) };
});

describeMachines("a daemon that dies at a command to QEMU", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace("br0");
    node = testNode(space);
  });

  const instance = machine({
    nics: [bridgedNic()],
    beparams: { minmem: 64, maxmem: 64, vcpus: 2 },
    hvparams: { cpu_mask: "0:all", migration_caps: "xbzrle" },
  });
  const prepare = async () => (await node.begun()).start(instance);

  test("during a start leaves a machine whose guest runs, or nothing", async () => {
    const seen = { running: 0, absent: 0 };
    const deaths = await atEveryCommand(
      node,
      ({ start }) => start(instance),
      async (at) => {
        const { names, stop } = await node.begun();
        if ((await names()).length === 0) seen.absent += 1;
        else {
          seen.running += 1;
          expect(await node.status(), at).toBe("running");
          await stop(instance);
        }
        expect([node.remains(), space.taps()], at).toEqual([[], []]);
      },
    );
    expect(deaths).toBeGreaterThan(3);
    expect([seen.absent > 2, seen.running > 1]).toEqual([true, true]);
  });

  test.each([
    ["source", ["before"], 4],
    ["target", ["before", "after"], 3],
  ] as const)(
    "on the %s of a migration leaves the guest running on one side, and it is found by asking QEMU",
    async (side, moments: readonly Moment[], deathsMin) => {
      const target = testNode(space);
      const ends = { source: 0, target: 0 };
      const deaths = await atEveryCommand(
        side === "source" ? node : target,
        async (doomed) => {
          const other = await (side === "source" ? target : node).begun();
          const [source, there] = side === "source" ? [doomed, other] : [other, doomed];
          const info = await migrate(instance, source, there);
          await expect
            .poll(() => source.migrationStatus(instance), { timeout: 60_000, interval: 1_000 })
            .toBe("completed");
          await source.endOut(instance, true);
          await there.endIn(instance, info, true);
        },
        async (at) => {
          const [source, there] = [await node.begun(), await target.begun()];
          const runs = async (on: TestNode, { names }: TestDaemon) =>
            (await names()).length > 0 && (await on.status()) === "running";
          // QEMU continues a transfer by itself.
          await expect
            .poll(async () => [await runs(node, source), await runs(target, there)], {
              timeout: 60_000,
            })
            .toSatisfy(([a, b]: boolean[]) => a !== b, at);
          ends[(await runs(target, there)) ? "target" : "source"] += 1;
          for (const { stop } of [source, there]) await stop(instance);
          expect([node.remains(), target.remains(), space.taps()], at).toEqual([[], [], []]);
        },
        { prepare, moments },
      );
      expect(deaths).toBeGreaterThan(deathsMin);
      expect(ends.target).toBeGreaterThan(0);
      if (side === "source") expect(ends.source).toBeGreaterThan(3);
    },
  );

  test("during a hotplug leaves the instance running, and nothing after it has been stopped", async () => {
    const device = bridgedNic("79999999-8888-7777-6666-555555555555");
    const what = { type: "nic" as const, device, index: 1 };
    const deaths = await atEveryCommand(
      node,
      ({ hotAdd }) => hotAdd(instance, what),
      async (at) => {
        const { stop } = await node.begun();
        expect(await node.status(), at).toBe("running");
        const { nics } = readRuntime(readFileSync(node.files.of(instance.name).runtime, "utf8"));
        expect(nics.length, at).toBe(at === "after the whole call" ? 2 : 1);
        await stop(instance);
        expect([node.remains(), space.taps()], at).toEqual([[], []]);
      },
      { prepare },
    );
    expect(deaths).toBeGreaterThan(3);
  });
});
