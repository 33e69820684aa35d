// The daemon dies at every program that it runs during a start and a migration; a new daemon recovers the node.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { instanceCalls } from "../src/hypervisor/calls.js";
import { hypervisors } from "../src/hypervisor/hypervisors.js";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import type { Runner } from "../src/machine/runner.js";
import { atEveryProgram } from "./dying-runner.js";
import {
  machine,
  machinesUnavailable,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

const problem = machinesUnavailable();
if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);

const never = new AbortController().signal;
const nic = {
  uuid: "99999999-8888-7777-6666-555555555555",
  mac: "aa:00:00:11:22:33",
  nicparams: { mode: "bridged", link: "br0", vlan: "" },
};

describe.skipIf(problem !== undefined)("a daemon that dies", () => {
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
    for (const one of close.splice(0)) one();
    node.close();
    space.close();
  });

  /** Calls of a daemon on that node, which runs its programs through `run`. */
  function daemon(on: TestNode, run: Runner = on.context.run) {
    const context = { ...on.context, run };
    const { byName, kvm } = hypervisors(context);
    close.push(() => kvm.close());
    return { kvm, calls: instanceCalls(context, byName) as TestNode["calls"] };
  }

  /** Starts a daemon in the same way as `serve`. */
  async function begun(on: TestNode) {
    const { kvm, calls } = daemon(on);
    await kvm.takeOver();
    return calls;
  }

  const namesOn = (calls: TestNode["calls"]) =>
    calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, never);
  const status = (name: string, on: TestNode) =>
    withQmp(on.files.of(name).qmp, (qmp) => qmp.execute("query-status"));

  const entries = (folder: string) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  /** Files of instances on the node, except logs and links to disks, which are active until a shutdown. */
  function remains(on: TestNode): readonly string[] {
    const { pids, uids, runtimes, nics, control, chroots } = on.files;
    return [pids, uids, runtimes, nics, control, chroots].flatMap(entries);
  }
  const links = (on: TestNode) => entries(join(on.context.paths.run, "instance-disks"));
  const taps = () => space.run("ip", "-o", "link", "show").match(/: tap\d+:/g) ?? [];

  test("during a start leaves an instance that runs, or nothing; it can be started again", async () => {
    const instance = machine({ disks: [node.disk("a")], nics: [nic] });
    const wish = { instance, startupPaused: false, reason: [] };
    const stop = { instance, timeoutSeconds: 0, reason: [] };
    const seen = { running: 0, absent: 0 };
    const deaths = await atEveryProgram(
      node.context.run,
      (run) => daemon(node, run).calls.instance_start(wish, never),
      async (at) => {
        const calls = await begun(node);
        if ((await namesOn(calls)).length === 0) {
          expect([remains(node), taps()], at).toEqual([[], []]);
          seen.absent += 1;
          await calls.instance_start(wish, never);
        } else seen.running += 1;
        expect(await status(instance.name, node), at).toMatchObject({ status: "running" });
        await calls.instance_shutdown(stop, never);
        expect([await namesOn(calls), remains(node), taps()], at).toEqual([[], [], []]);
        expect(links(node), at).toEqual([]);
      },
    );
    expect(deaths).toBeGreaterThan(15);
    expect(seen.absent).toBeGreaterThan(10);
    expect(seen.running).toBeGreaterThan(0);
  }, 280_000);

  test("between the start of QEMU and that of its guest leaves nothing after a new daemon has started", async () => {
    const instance = machine({ nics: [nic] });
    const { calls } = daemon(node);
    await calls.instance_start({ instance, startupPaused: true, reason: [] }, never);
    await begun(node);
    expect(await status(instance.name, node)).toMatchObject({ status: "prelaunch" });
    // The same state, except that the interrupted start was not meant to be paused.
    const { runtime } = node.files.of(instance.name);
    writeFileSync(runtime, readFileSync(runtime, "utf8").replace('"-S",', ""));
    expect(await namesOn(await begun(node))).toEqual([]);
    expect([remains(node), taps()]).toEqual([[], []]);
  });

  test("during a migration leaves the instance at its source or its target, never at both or none", async () => {
    const target = testNode(space);
    close.push(() => target.close());
    const instance = machine({ nics: [nic] });
    const stop = { instance, timeoutSeconds: 0, reason: [] };
    const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
    const deaths = await atEveryProgram(
      target.context.run,
      async (run) => {
        const source = await begun(node);
        if ((await namesOn(source)).length === 0) {
          await source.instance_start({ instance, startupPaused: false, reason: [] }, never);
        }
        const info = await source.migration_info({ instance }, never);
        const there = daemon(target, run).calls;
        await there.accept_instance({ instance, info, target: "127.0.0.1" }, never);
        await source.instance_migrate(move, never);
        const state = () => source.instance_get_migration_status({ instance }, never);
        await expect
          .poll(async () => (await state()).status, { timeout: 60_000 })
          .toBe("completed");
        await there.instance_finalize_migration_dst({ instance, info, success: true }, never);
        const end = { instance, success: true, live: true };
        await source.instance_finalize_migration_src(end, never);
      },
      async (at) => {
        // The master got no answer to its call, so it cleans up like `gnt-instance migrate --cleanup`.
        const [source, there] = [await begun(node), await begun(target)];
        if (at !== "after the whole call") {
          const info = await source.migration_info({ instance }, never);
          const fails = { instance, info, success: false };
          await there.instance_finalize_migration_dst(fails, never);
          const end = { instance, success: false, live: true };
          await source.instance_finalize_migration_src(end, never);
          expect([await namesOn(source), await namesOn(there)], at).toEqual([[instance.name], []]);
          expect(await status(instance.name, node), at).toMatchObject({ status: "running" });
          expect([remains(target), taps().length], at).toEqual([[], 1]);
          return;
        }
        expect([await namesOn(source), await namesOn(there)], at).toEqual([[], [instance.name]]);
        await there.instance_shutdown(stop, never);
        expect([remains(node), remains(target), taps()], at).toEqual([[], [], []]);
      },
    );
    expect(deaths).toBeGreaterThan(10);
  }, 280_000);

  test("after a reboot of the host there are no files of instances, and they can be started again", async () => {
    const instance = machine({ disks: [node.disk("a")], nics: [nic] });
    const before = daemon(node).calls;
    await before.instance_start({ instance, startupPaused: false, reason: [] }, never);
    // A reboot ends programs and interfaces, and removes everything below /run.
    node.endMachines();
    for (const tap of taps()) space.run("ip", "link", "delete", tap.slice(2, -1));
    node.emptyRun();
    const calls = await begun(node);
    expect(await namesOn(calls)).toEqual([]);
    await calls.instance_start({ instance, startupPaused: false, reason: [] }, never);
    expect(await status(instance.name, node)).toMatchObject({ status: "running" });
  });
});
