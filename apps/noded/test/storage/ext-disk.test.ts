import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { beforeEach, describe, expect, test } from "vitest";
import { systemRunner } from "../../src/machine/system-runner.js";
import { extDisks } from "../../src/storage/ext/ext-disk.js";
import { aFolder } from "../a-context.js";
import { scriptedMachine } from "../scripted-machine.js";

let root: string;
beforeEach(() => {
  root = aFolder();
  mkdirSync(join(root, "var/log/ganeti/extstorage"), { recursive: true });
});

const disk: DiskOnNode = {
  ...{ uuid: "uuid-ext", dev_type: "ext", size: 1024, name: "web-root" },
  ...{ logical_id: ["shelf", "vol1"], params: { access: "kernelspace", tier: "fast" } },
};

const required = ["create", "attach", "detach", "remove", "grow", "setinfo", "verify"];

/** A provider whose scripts write their name and variables to `calls`; `scripts` replaces some of them. */
function provider(scripts: Readonly<Record<string, string>> = {}) {
  const directory = join(root, "usr/share/ganeti/extstorage/shelf");
  mkdirSync(directory, { recursive: true });
  const calls = join(root, "calls");
  writeFileSync(calls, "");
  writeFileSync(join(directory, "parameters.list"), "tier speed\n");
  const note = `env | grep -E '^(VOL|EXTP)_' | sort | tr '\\n' ' ' >> ${calls}`;
  for (const name of new Set([...required, ...Object.keys(scripts)])) {
    const path = join(directory, name);
    writeFileSync(
      path,
      `#!/bin/sh\nprintf '${name} ' >> ${calls}; ${note}; echo >> ${calls}\n${scripts[name] ?? ""}\n`,
    );
    chmodSync(path, 0o755);
  }
  const { context, log } = scriptedMachine({}, root);
  const disks = extDisks({ ...context, run: systemRunner(() => {}) });
  return { disks, log, directory, called: () => readFileSync(calls, "utf8").trim().split("\n") };
}

const base = "EXTP_ACCESS=kernelspace EXTP_TIER=fast VOL_CNAME=web-root VOL_NAME=vol1";

describe("disks of external storage providers", () => {
  test("are created, grown and removed by scripts that get parameters as variables", async () => {
    const { disks, called } = provider();
    await disks.create(disk, { sizeMib: 1024, exclusiveStorage: false, children: [] });
    const growth = { amountMib: 512, dryRun: false, backingStore: true, exclusiveStorage: false };
    await disks.grow(disk, growth);
    await disks.grow(disk, { ...growth, dryRun: true });
    await disks.setInfo(disk, "originstname+web server");
    await disks.remove(disk);
    expect(called()).toEqual([
      `create ${base} VOL_SIZE=1024 VOL_UUID=uuid-ext `,
      `grow ${base} VOL_NEW_SIZE=1536 VOL_SIZE=1024 VOL_UUID=uuid-ext `,
      `setinfo ${base.replace("VOL_NAME", "VOL_METADATA=originstname+web_server VOL_NAME")} VOL_UUID=uuid-ext `,
      `detach ${base} VOL_UUID=uuid-ext `,
      `remove ${base} VOL_UUID=uuid-ext`,
    ]);
  });

  test("have snapshots and exclusive access if the provider has scripts for them", async () => {
    const { disks, called } = provider({ snapshot: "" });
    await disks.open(disk, { force: false, exclusive: true });
    expect(await disks.snapshot?.(disk, { name: null, sizeMib: null })).toEqual([
      ...["shelf", "vol1.snap"],
    ]);
    expect(called()).toEqual([
      "snapshot EXTP_ACCESS=kernelspace EXTP_TIER=fast VOL_NAME=vol1 VOL_SIZE=1024 VOL_SNAPSHOT_NAME=vol1.snap VOL_SNAPSHOT_SIZE=1024",
    ]);
    const opened = provider({ open: "" });
    await opened.disks.open(disk, { force: false, exclusive: true });
    expect(opened.called()[0]).toContain("VOL_OPEN_EXCLUSIVE=True");
  });

  test("may have no device, but a URI of their own for the hypervisor", async () => {
    const { disks } = provider({ attach: "echo; echo xen:other; echo KVM:nbd:192.0.2.7:10809" });
    const userspace = { ...disk, params: { ...disk.params, access: "userspace" } };
    expect(await disks.find(userspace)).toEqual({
      ...{ path: null, major: null, minor: null, uri: "nbd:192.0.2.7:10809" },
    });
    const none = provider({ attach: "echo; echo xen:other" });
    await expect(none.disks.find(userspace)).rejects.toThrow(
      "Userspace access is not supported by the 'shelf' ExtStorage provider for the 'kvm' hypervisor",
    );
  });

  test("are missing, with an error in the log, if attach prints nothing or something other than a block device", async () => {
    const { disks, log } = provider();
    expect(await disks.find(disk)).toBeNull();
    const other = provider({ attach: "echo /dev/null" });
    expect(await other.disks.find(disk)).toBeNull();
    expect([...log, ...other.log]).toEqual([
      "The attach script of 'shelf' gave neither a device nor URIs",
      "A block device '/dev/null' does not exist",
    ]);
  });

  test("fail with the end of the log of a failed script", async () => {
    const { disks } = provider({ create: "for n in $(seq 30); do echo line $n; done; exit 3" });
    const creation = disks.create(disk, { sizeMib: 1, exclusiveStorage: false, children: [] });
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 11}`).join("\n");
    await expect(creation).rejects.toThrow(
      `External storage's create script failed (exited with exit code 3), last lines of output:\n${lines}`,
    );
  });

  test("need a complete provider with a plain name", async () => {
    const { disks, directory } = provider();
    const named = (name: string) => disks.find({ ...disk, logical_id: [name, "vol1"] });
    await expect(named("other")).rejects.toThrow(
      "Directory for External Storage Provider other not found in search path",
    );
    await expect(named("../shelf")).rejects.toThrow("Invalid name of an external storage provider");
    chmodSync(join(directory, "grow"), 0o644);
    await expect(named("shelf")).rejects.toThrow(
      `File 'grow' under path '${directory}' is not executable`,
    );
    rmSync(join(directory, "grow"));
    await expect(named("shelf")).rejects.toThrow(
      `File 'grow' under path '${directory}' is missing`,
    );
  });
});
