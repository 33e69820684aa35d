// The daemon dies at every command that it sends to QEMU during a start, a migration and a hotplug; a new daemon recovers.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { instanceCalls } from "../src/hypervisor/calls.js";
import { hypervisors } from "../src/hypervisor/hypervisors.js";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import { readRuntime } from "../src/hypervisor/kvm/runtime.js";
import type { Runner } from "../src/machine/runner.js";
import { allLive, dieAt, type Moment } from "./dying-at-qmp.js";
import {
  machine,
  machinesUnavailable,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

vi.mock("../src/hypervisor/kvm/qmp.js", async (original) => {
  const [real, { mortal }] = [
    await original<typeof import("../src/hypervisor/kvm/qmp.js")>(),
    await import("./dying-at-qmp.js"),
  ];
  return { ...real, withQmp: mortal(real.withQmp) };
});

const problem = machinesUnavailable();
if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);

const never = new AbortController().signal;
const nic = {
  uuid: "99999999-8888-7777-6666-555555555555",
  mac: "aa:00:00:11:22:33",
  nicparams: { mode: "bridged", link: "br0", vlan: "" },
};

describe.skipIf(problem !== undefined)("a daemon that dies at a command to QEMU", () => {
  let space: Namespace;
  let node: TestNode;
  const close: (() => void)[] = [];
  beforeEach(() => {
    space = namespace();
    space.run("ip", "link", "add", "br0", "type", "bridge");
    space.run("ip", "link", "set", "br0", "up");
    node = testNode(space);
  });
  afterEach(() => {
    allLive();
    for (const one of close.splice(0)) one();
    node.close();
    space.close();
  });

  /** Starts a daemon on the node in the same way as `serve`. */
  async function begun(on: TestNode, run: Runner = on.context.run): Promise<TestNode["calls"]> {
    const context = { ...on.context, run };
    const { byName, kvm } = hypervisors(context);
    close.push(() => kvm.close());
    await kvm.takeOver();
    return instanceCalls(context, byName) as TestNode["calls"];
  }

  const namesOn = (calls: TestNode["calls"]) =>
    calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, never);
  const status = async (name: string, on: TestNode) =>
    (
      (await withQmp(on.files.of(name).qmp, (qmp) => qmp.execute("query-status"))) as {
        status: string;
      }
    ).status;
  const entries = (folder: string) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const remains = (on: TestNode): readonly string[] => {
    const { pids, uids, runtimes, nics, control, chroots } = on.files;
    return [pids, uids, runtimes, nics, control, chroots].flatMap(entries);
  };
  const taps = () => space.run("ip", "-o", "link", "show").match(/: tap\d+:/g) ?? [];

  interface Scene {
    /** Called before the start of the daemon that will die. */
    readonly prepare?: () => Promise<unknown>;
    readonly action: (doomed: TestNode["calls"]) => Promise<unknown>;
    /** Checks the state that a new daemon finds, and ends the instance. */
    readonly recovered: (at: string) => Promise<void>;
    /** Default: both. After one command and before the next are the same moment if nothing happens in between. */
    readonly moments?: readonly Moment[];
  }

  /** Kills the daemon of `on` before and after each of its commands. Returns the number of deaths. */
  async function atEveryCommand(
    on: TestNode,
    { prepare = async () => {}, action, recovered, moments = ["before", "after"] }: Scene,
  ): Promise<number> {
    let deaths = 0;
    for (const moment of moments) {
      for (let at = 0; ; at++) {
        await prepare();
        const life = dieAt(on.context.paths.root, on.context.run, at, moment);
        const isDead = await Promise.race([
          life.death.then(() => true),
          begun(on, life.run)
            .then(action)
            .then(() => false),
        ]);
        allLive();
        await recovered(isDead ? `${moment} command ${at}` : "after the whole call");
        if (!isDead) break;
        deaths += 1;
      }
    }
    return deaths;
  }

  const instance = machine({
    nics: [nic],
    beparams: { minmem: 64, maxmem: 64, vcpus: 2 },
    hvparams: { cpu_mask: "0:all", migration_caps: "xbzrle" },
  });
  const wish = { instance, startupPaused: false, reason: [] };
  const stop = { instance, timeoutSeconds: 0, reason: [] };

  test("during a start leaves a machine whose guest runs, or nothing", async () => {
    const seen = { running: 0, absent: 0 };
    const deaths = await atEveryCommand(node, {
      action: (doomed) => doomed.instance_start(wish, never),
      async recovered(at) {
        const calls = await begun(node);
        if ((await namesOn(calls)).length === 0) {
          expect([remains(node), taps()], at).toEqual([[], []]);
          seen.absent += 1;
          return;
        }
        seen.running += 1;
        expect(await status(instance.name, node), at).toBe("running");
        await calls.instance_shutdown(stop, never);
        expect([remains(node), taps()], at).toEqual([[], []]);
      },
    });
    expect(deaths).toBeGreaterThan(3);
    expect([seen.absent > 2, seen.running > 1]).toEqual([true, true]);
  });

  test.each(["source", "target"] as const)(
    "on the %s of a migration leaves the guest running on one side, and it is found by asking QEMU",
    async (side) => {
      const target = testNode(space);
      close.push(() => target.close());
      const mortalNode = side === "source" ? node : target;
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
      const ends = { source: 0, target: 0 };
      const deaths = await atEveryCommand(mortalNode, {
        moments: side === "source" ? ["before"] : ["before", "after"],
        prepare: async () => (await begun(node)).instance_start(wish, never),
        async action(doomed) {
          const other = await begun(side === "source" ? target : node);
          const [source, there] = side === "source" ? [doomed, other] : [other, doomed];
          const info = await source.migration_info({ instance }, never);
          await there.accept_instance({ instance, info, target: "127.0.0.1" }, never);
          await source.instance_migrate(move, never);
          const state = () => source.instance_get_migration_status({ instance }, never);
          await expect
            .poll(async () => (await state()).status, { timeout: 60_000, interval: 1_000 })
            .toBe("completed");
          await source.instance_finalize_migration_src(
            { instance, success: true, live: true },
            never,
          );
          await there.instance_finalize_migration_dst({ instance, info, success: true }, never);
        },
        async recovered(at) {
          const [source, there] = [await begun(node), await begun(target)];
          const runs = async (on: TestNode, calls: TestNode["calls"]) =>
            (await namesOn(calls)).length > 0 && (await status(instance.name, on)) === "running";
          // QEMU continues a transfer by itself.
          await expect
            .poll(async () => [await runs(node, source), await runs(target, there)], {
              timeout: 60_000,
            })
            .toSatisfy(([a, b]: boolean[]) => a !== b, at);
          const isAtTarget = await runs(target, there);
          ends[isAtTarget ? "target" : "source"] += 1;
          for (const calls of [source, there]) await calls.instance_shutdown(stop, never);
          expect([remains(node), remains(target), taps()], at).toEqual([[], [], []]);
        },
      });
      expect(deaths).toBeGreaterThan(side === "source" ? 4 : 3);
      expect(ends.target).toBeGreaterThan(0);
      if (side === "source") expect(ends.source).toBeGreaterThan(3);
    },
  );

  test("during a hotplug leaves the instance running, and nothing after it has been stopped", async () => {
    const extra = nic.uuid.replace("9", "7");
    const add = {
      ...{ instance, action: "add" as const },
      what: { type: "nic" as const, device: { ...nic, uuid: extra }, index: 1 },
    };
    const deaths = await atEveryCommand(node, {
      prepare: async () => (await begun(node)).instance_start(wish, never),
      action: (doomed) => doomed.hotplug_device(add, never),
      async recovered(at) {
        const calls = await begun(node);
        expect(await status(instance.name, node), at).toBe("running");
        const { nics } = readRuntime(readFileSync(node.files.of(instance.name).runtime, "utf8"));
        expect(nics.length, at).toBe(at === "after the whole call" ? 2 : 1);
        await calls.instance_shutdown(stop, never);
        expect([remains(node), taps()], at).toEqual([[], []]);
      },
    });
    expect(deaths).toBeGreaterThan(3);
  });
});
