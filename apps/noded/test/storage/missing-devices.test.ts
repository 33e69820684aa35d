// Calls about devices that do not exist, on machines where no program works: none of them waits.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import { afterAll, describe, expect, test } from "vitest";
import { NodeFailure } from "../../src/failure.js";
import type { Command, Finished, Runner } from "../../src/machine/runner.js";
import { storageCalls } from "../../src/storage/calls.js";
import { fakeRunner, noSignal } from "../a-context.js";
import { hurryingClock, scriptedMachine } from "../scripted-machine.js";
import { mirror, plain } from "./fault-steps.js";

const machines: Readonly<Record<string, Runner["run"]>> = {
  "without the programs": ({ program }: Command) =>
    Promise.reject(new NodeFailure(`Can't run '${program}': No such file or directory`)),
  "whose programs fail": (command) =>
    fakeRunner(() => ({ code: 5, stderr: "no such device\n" })).run.run(command),
  "whose programs list nothing": (command): Promise<Finished> =>
    fakeRunner(({ args }) => ({ stdout: args.includes("json") ? "[]" : "" })).run.run(command),
};

const of = (
  dev_type: DiskOnNode["dev_type"],
  logical_id: DiskOnNode["logical_id"],
  params = {},
): DiskOnNode => ({
  ...{ uuid: `uuid-${dev_type}`, dev_type, size: 128, logical_id },
  params: { access: "kernelspace", ...params },
});

const disks: readonly DiskOnNode[] = [
  plain,
  mirror,
  of("file", ["loop", "/srv/ganeti/file-storage/web/disk0"]),
  of("file", ["loop", "/etc/passwd"]),
  of("file", ["loop"]),
  of("sharedfile", ["loop", "/srv/ganeti/shared-file-storage/web/disk0"]),
  of("gluster", ["loop", "ganeti/web.0"], { host: "192.0.2.9", port: 24_007, volume: "gv0" }),
  of("blockdev", ["manual", "/dev/disk/by-id/missing"]),
  of("rbd", ["rbd", "vol1"], { pool: "rbd" }),
  of("rbd", ["rbd", "-vol1"], { pool: "rbd" }),
  of("ext", ["shelf", "vol1"]),
];

const calls = (disk: DiskOnNode) => ({
  blockdev_remove: { disk },
  blockdev_shutdown: { disk },
  blockdev_find: { disk },
  blockdev_assemble: { disk, instance: anInstance(), asPrimary: true, index: 0 },
  blockdev_open: { disks: [disk], owner: "web", exclusive: true },
  blockdev_close: { disks: [disk], owner: "web" },
  blockdev_grow: {
    ...{ disk, amountMib: 64, dryRun: false, backingStore: true, exclusiveStorage: false },
  },
  blockdev_rename: { renames: [{ disk, logicalId: disk.logical_id }] },
  blockdev_snapshot: { disk, name: null, sizeMib: null },
  blockdev_setinfo: { disk, info: "originstname+web" },
  blockdev_wipe: { disk, offsetMib: 0, sizeMib: 1 },
  blockdev_convert: { source: disk, target: disk },
  blockdev_addchildren: { disk, children: [plain, plain] },
  blockdev_removechildren: { disk, children: [plain, plain] },
  blockdev_pause_resume_sync: { disks: [disk], pause: true },
  blockdev_getmirrorstatus: { disks: [disk] },
  blockdev_getmirrorstatus_multi: { disks: [disk] },
  blockdev_getdimensions: { disks: [disk] },
  drbd_disconnect_net: { disks: [mirror] },
  drbd_attach_net: { disks: [mirror], multimaster: false },
  drbd_wait_sync: { disks: [mirror] },
  drbd_needs_activation: { disks: [mirror] },
});

// Links and notes are written although no program works.
const root = mkdtempSync(join(tmpdir(), "noded-missing-"));
afterAll(() => rmSync(root, { recursive: true }));

describe.each(Object.entries(machines))("on a machine %s", (_, run) => {
  test.each(disks.map((disk) => [`${disk.dev_type} ${disk.logical_id.at(-1)}`, disk] as const))(
    "calls about the missing disk %s answer without a pause",
    async (_title, disk) => {
      const clock = hurryingClock();
      const { context } = scriptedMachine({}, root);
      const made = storageCalls({
        ...{ ...context, clock, run: { ...context.run, run } },
        ssconf: async () => ["/srv/ganeti"],
      }) as Readonly<Record<string, (args: object, signal: AbortSignal) => Promise<unknown>>>;
      const waited: string[] = [];
      for (const [name, args] of Object.entries(calls(disk))) {
        const before = clock.now();
        await made[name]?.(args, noSignal).catch(() => {});
        if (clock.now() > before) waited.push(`${name}: ${clock.now() - before} ms`);
      }
      expect(waited).toEqual([]);
    },
  );
});
