// QEMU gets SIGKILL in the middle of a start and at the source of a migration; the daemon survives.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { instanceCalls } from "../src/hypervisor/calls.js";
import { hypervisors } from "../src/hypervisor/hypervisors.js";
import { processOf } from "../src/hypervisor/kvm/process.js";
import type { Runner } from "../src/machine/runner.js";
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
const instance = machine({
  nics: [
    {
      uuid: "99999999-8888-7777-6666-555555555555",
      mac: "aa:00:00:11:22:33",
      nicparams: { mode: "bridged", link: "br0", vlan: "" },
    },
  ],
  hvparams: { cpu_mask: "0" },
});
const wish = { instance, startupPaused: false, reason: [] };
const stop = { instance, timeoutSeconds: 0, reason: [] };

describe.skipIf(problem !== undefined)("a QEMU that gets SIGKILL", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace();
    space.run("ip", "link", "add", "br0", "type", "bridge");
    space.run("ip", "link", "set", "br0", "up");
    node = testNode(space);
  });
  afterEach(() => {
    node.close();
    space.close();
  });

  async function killQemu({ files }: TestNode): Promise<void> {
    const found = await processOf(files, instance.name);
    if (found === null) throw new Error("QEMU does not run");
    process.kill(found.pid, "SIGKILL");
    await expect.poll(() => processOf(files, instance.name)).toBeNull();
  }
  const listed = (on: TestNode) =>
    on.calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, never);
  const remains = ({ files: { pids, uids, runtimes, nics, control } }: TestNode) =>
    [pids, uids, runtimes, nics, control].flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
    );
  const taps = () => space.run("ip", "-o", "link", "show").match(/: tap\d+:/g) ?? [];

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
            await killQemu(node);
          }
          return ended;
        },
      };
      const { byName, kvm } = hypervisors({ ...node.context, run: killing });
      const calls = instanceCalls({ ...node.context, run: killing }, byName) as TestNode["calls"];
      await expect(calls.instance_start(wish, never)).rejects.toThrow(/^Hypervisor error: /);
      kvm.close();
      expect(kills).toBe(1);
      expect([await listed(node), remains(node), taps()]).toEqual([[], [], []]);
      await node.calls.instance_start(wish, never);
      expect(await listed(node)).toEqual([instance.name]);
      await node.calls.instance_shutdown(stop, never);
      expect([remains(node), taps()]).toEqual([[], []]);
    },
  );

  test("at the source of a migration leaves nothing on either node after the master has given up the migration", async () => {
    const target = testNode(space);
    try {
      await node.calls.instance_start(wish, never);
      const info = await node.calls.migration_info({ instance }, never);
      await target.calls.accept_instance({ instance, info, target: "127.0.0.1" }, never);
      await killQemu(node);
      const move = { instance, clusterName: "c", target: "127.0.0.1", live: true };
      await expect(node.calls.instance_migrate(move, never)).rejects.toThrow(
        "Instance not running, cannot migrate",
      );
      const fails = { instance, info, success: false };
      await target.calls.instance_finalize_migration_dst(fails, never);
      const end = { instance, success: false, live: true };
      await node.calls.instance_finalize_migration_src(end, never);
      expect([await listed(node), await listed(target)]).toEqual([[], []]);
      expect([remains(node), remains(target), taps()]).toEqual([[], [], []]);
      await node.calls.instance_start(wish, never);
      expect(await listed(node)).toEqual([instance.name]);
    } finally {
      target.close();
    }
  });
});
