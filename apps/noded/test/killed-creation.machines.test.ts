// The daemon dies at every program that it runs while an instance is created, exported or imported.
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DiskOnNode, ExportCalls } from "@ganeti-ts/node-calls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { recoverNode } from "../src/daemon/recovery.js";
import type { Handlers } from "../src/handlers.js";
import type { Runner } from "../src/machine/runner.js";
import { osCalls } from "../src/os/calls.js";
import { openDisksOf } from "../src/os/os-scripts.js";
import { storageCalls } from "../src/storage/calls.js";
import { diskTypes } from "../src/storage/disk-types.js";
import { exportCalls } from "../src/transfer/export-calls.js";
import { transferCalls } from "../src/transfer/transfer-calls.js";
import { noSignal } from "./a-context.js";
import { compiledProgram } from "./compiled-program.js";
import { atEveryProgram } from "./dying.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";
import {
  describeMachines,
  entries,
  machine,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";
import { simulatedMachines } from "./simulation/machines.js";
import { mirror, mirrorChildren, plain } from "./storage/fault-steps.js";
import { options } from "./transfer-nodes.js";

const creation = { owner: "web", onPrimary: true, info: "i", exclusiveStorage: false };
/** A create script that runs long enough for the daemon to die meanwhile. */
const createScript = `#!/bin/sh
set -e
echo half > "$DISK_0_PATH.log-of-script"
sleep 0.3
rm "$DISK_0_PATH.log-of-script"
`;

type Calls = Required<Handlers>;

describeMachines("a daemon that dies", () => {
  let space: Namespace;
  let certificates: MachineFolder;
  let program: string;
  let nodes: TestNode[] = [];
  beforeAll(async () => {
    program = compiledProgram("import-export");
    certificates = await machineFolder();
  });
  afterAll(() => certificates.remove());
  beforeEach(() => {
    space = namespace();
    nodes = [];
  });

  function aNode(): TestNode {
    const node = testNode(space);
    nodes.push(node);
    const write = (path: string, text: string, mode: number) => {
      mkdirSync(dirname(join(node.context.paths.root, path)), { recursive: true });
      writeFileSync(join(node.context.paths.root, path), text, { mode });
    };
    write("usr/lib/ganeti/import-export", `#!/bin/sh\nexec ${program} "$@"\n`, 0o755);
    write("var/lib/ganeti/server.pem", certificates.server, 0o600);
    for (const name of ["create", "import", "export", "rename", "verify"]) {
      write(`srv/ganeti/os/noop/${name}`, name === "create" ? createScript : "#!/bin/sh\n", 0o755);
    }
    write("srv/ganeti/os/noop/ganeti_api_version", "15\n", 0o644);
    return node;
  }

  /** Calls of a daemon on that node, which runs its programs through `run`. */
  function daemon({ context: own }: TestNode, run: Runner = own.run): Calls {
    const context = { ...own, run };
    const ports = { ...context, openDisks: openDisksOf(diskTypes(context)) };
    const calls = { ...storageCalls(context), ...osCalls(ports) };
    return { ...calls, ...transferCalls(ports), ...exportCalls(context) } as unknown as Calls;
  }

  /** Starts a daemon in the same way as `serve`. */
  async function begun(node: TestNode): Promise<Calls> {
    await recoverNode(node.context);
    return daemon(node);
  }

  /** Files that calls have left on the node, except logs. */
  function remains({ context: { paths } }: TestNode): readonly string[] {
    const inRun = ["import-export", "instance-disks", "bdev-cache", "ganeti-ts-programs"];
    const folders = [...inRun.map((name) => join(paths.run, name)), paths.crypto, paths.exports];
    return [...folders, space.storage].flatMap(entries);
  }
  /** Processes whose command line or working directory contains a path of the node. */
  function processes({ context: { paths } }: TestNode): readonly string[] {
    return readdirSync("/proc").filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(paths.root);
      } catch {
        return false;
      }
    });
  }
  const expectNothing = async (at: string) => {
    for (const node of nodes) {
      expect(remains(node), at).toEqual([]);
      await expect.poll(() => processes(node), { message: at }).toEqual([]);
    }
  };

  /** Calls by which a master creates an instance with one disk, and calls by which it gives up the creation. */
  const creationOf = (disks: readonly DiskOnNode[], folder: string | null) => {
    const [disk] = disks.slice(-1) as [DiskOnNode];
    const web = machine({ os: "noop", disks: [disk] });
    return {
      async create(calls: Calls) {
        if (folder !== null) await calls.file_storage_dir_create({ directory: folder }, noSignal);
        for (const one of disks) {
          await calls.blockdev_create({ disk: one, sizeMib: one.size, ...creation }, noSignal);
        }
        await calls.blockdev_wipe({ disk, offsetMib: 0, sizeMib: 1 }, noSignal);
        const assembly = { disk, instance: web, asPrimary: true, index: 0 };
        await calls.blockdev_assemble(assembly, noSignal);
        const os = { instance: web, reinstall: false, debugLevel: 0 };
        if (folder !== null) await calls.instance_os_add(os, noSignal);
      },
      async remove(calls: Calls) {
        await calls.blockdev_shutdown({ disk }, noSignal).catch((error: Error) => {
          // A disk that was not created cannot be shut down.
          expect(error.message).toMatch(/Can't find|No such/);
        });
        await calls.blockdev_remove({ disk }, noSignal);
        if (folder !== null) await calls.file_storage_dir_remove({ directory: folder }, noSignal);
      },
    };
  };

  describe.each(["repeats its calls", "removes the instance"] as const)(
    "and a master that %s",
    (next) => {
      test("a creation on a file-based disk leaves nothing behind, not even a running script", async () => {
        const node = aNode();
        const folder = join(space.storage, "web");
        const path = join(folder, "disk0");
        const disk: DiskOnNode = {
          uuid: "u",
          dev_type: "file",
          size: 1,
          logical_id: ["loop", path],
        };
        const { create, remove } = creationOf([disk], folder);
        const deaths = await atEveryProgram(
          node.context.run,
          (run) => create(daemon(node, run)),
          async (at) => {
            const calls = await begun(node);
            await expect.poll(() => processes(node), { message: at }).toEqual([]);
            if (next === "repeats its calls") await create(calls);
            // The script writes this log next to the disk, without the daemon.
            const log = `${path}.log-of-script`;
            rmSync(log, { force: true });
            await remove(calls);
            await expectNothing(at);
          },
          ["before", "during", "after"],
        );
        expect(deaths).toBe(6);
      });

      test.each([
        ["volume", [plain], 15],
        ["mirror", [...mirrorChildren, mirror], 40],
      ] as const)(
        "a creation on a %s leaves no volume and no mirror",
        async (_, disks, deathsMin) => {
          const node = aNode();
          const [simulated] = simulatedMachines(join(node.context.paths.root, "simulated"), 1);
          if (simulated === undefined) throw new Error("no machine");
          const { proc, modules, run: healthy } = simulated;
          const own = {
            ...node,
            context: {
              ...node.context,
              run: healthy,
              paths: { ...node.context.paths, proc, modules },
            },
          };
          const { create, remove } = creationOf(disks, null);
          const deaths = await atEveryProgram(
            healthy,
            (run) => create(daemon(own, run)),
            async (at) => {
              const calls = await begun(own);
              if (next === "repeats its calls") await create(calls);
              await remove(calls);
              expect(await calls.lv_list({ volumeGroups: ["xenvg"] }, noSignal), at).toEqual([]);
              expect(readFileSync(join(proc, "drbd"), "utf8"), at).not.toMatch(/^ *0:/m);
              await expectNothing(at);
            },
          );
          expect(deaths).toBeGreaterThan(deathsMin);
        },
      );
    },
  );

  const names: { cert?: string; into?: string; out?: string } = {};
  const source: DiskOnNode = { uuid: "s", dev_type: "file", size: 2, logical_id: [] };

  /** Calls by which masters copy a disk from one node to another. */
  async function moved(
    from: Calls,
    to: Calls,
    end: ExportCalls["import_start"]["arguments"]["end"],
  ) {
    const ended = (calls: Calls, name: string) =>
      expect
        .poll(async () => (await calls.impexp_status({ names: [name] }, noSignal))[0]?.exitStatus, {
          timeout: 60_000,
        })
        .toBe(0);
    const web = machine({ os: "noop" });
    const transfer = { instance: web, component: "disk0", options };
    names.cert = (await to.x509_cert_create({ validitySeconds: 600 }, noSignal)).name;
    names.into = await to.import_start({ ...transfer, end }, noSignal);
    const { into } = names;
    const look = async () =>
      (await to.impexp_status({ names: [into] }, noSignal))[0]?.listenPort ?? null;
    await expect.poll(look, { timeout: 60_000 }).not.toBeNull();
    const port = (await look()) as number;
    const start = {
      ...transfer,
      end: { kind: "raw-disk", disk: source } as const,
      host: "127.0.0.1",
      port,
    };
    names.out = await from.export_start(start, noSignal);
    await ended(from, names.out);
    await ended(to, into);
    if (end.kind === "file") await to.finalize_export({ instance: web, disks: [source] }, noSignal);
    await given(from, to);
  }
  /** Calls by which a master removes a transfer, with the names that it has received. */
  async function given(from: Calls, to: Calls) {
    if (names.out !== undefined) await from.impexp_cleanup({ name: names.out }, noSignal);
    if (names.into !== undefined) await to.impexp_cleanup({ name: names.into }, noSignal);
    if (names.cert !== undefined) await to.x509_cert_remove({ name: names.cert }, noSignal);
    for (const key of ["out", "into", "cert"] as const) delete names[key];
  }

  test.each([
    ["exporting", "sender"],
    ["exporting", "receiver"],
    ["importing", "receiver"],
  ] as const)(
    "%s an instance as the %s leaves no transfer, key or file",
    async (what, victim) => {
      const [from, to] = [aNode(), aNode()];
      const content = randomBytes(2 * 1024 ** 2);
      const place = join(from.context.paths.root, "source");
      mkdirSync(place);
      for (const node of [from, to]) {
        writeFileSync(join(node.context.paths.conf, "file-storage-paths"), `${place}\n`);
      }
      writeFileSync(join(place, "disk0"), content);
      Object.assign(source, { logical_id: ["loop", join(place, "disk0")] });
      const target = { ...source, uuid: "t", logical_id: ["loop", join(place, "disk1")] };
      cpSync(join(place, "disk0"), join(place, "disk1"));
      const end =
        what === "exporting"
          ? ({ kind: "file", path: `${machine().name}.new/s` } as const)
          : ({ kind: "raw-disk", disk: target } as const);
      const result =
        what === "exporting"
          ? join(to.context.paths.exports, machine().name, "s")
          : join(place, "disk1");
      const who = victim === "sender" ? from : to;
      const deaths = await atEveryProgram(
        who.context.run,
        (run) =>
          victim === "sender"
            ? moved(daemon(from, run), daemon(to), end)
            : moved(daemon(from), daemon(to, run), end),
        async (at) => {
          // The other daemon is still alive; transfers that have started on both sides end by themselves or are ended.
          await begun(who);
          await given(daemon(from), daemon(to));
          const left = remains(to).filter((path) => !path.startsWith(to.context.paths.exports));
          expect([remains(from), left], at).toEqual([[], []]);
          for (const node of nodes) {
            await expect.poll(() => processes(node), { message: at, timeout: 60_000 }).toEqual([]);
          }
          if (at !== "after the whole call") return;
          // A repeated export replaces the unfinished one.
          writeFileSync(join(place, "disk1"), "");
          await moved(daemon(from), daemon(to), end);
          expect(readFileSync(result).equals(content), at).toBe(true);
          if (what === "exporting")
            await daemon(to).export_remove({ name: machine().name }, noSignal);
          await expectNothing(at);
        },
        ["during", "after"],
      );
      expect(deaths).toBeGreaterThan(3);
    },
    280_000,
  );
});
