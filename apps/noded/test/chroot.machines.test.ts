// Instances under the chroot hypervisor: a file system on a loop device, with busybox as its programs.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chrootHypervisor } from "../src/hypervisor/chroot.js";
import type { Hypervisor } from "../src/hypervisor/hypervisor.js";
import { aContext, type TestContext } from "./a-context.js";
import { machine } from "./machine-namespace.js";

const busybox = "/bin/busybox";
const lacking = [busybox, "/usr/bin/fuser", "/usr/sbin/mke2fs"].find((path) => !existsSync(path));
const isPossible = process.getuid?.() === 0 && lacking === undefined;

const instance = machine({ name: "jail.example.com", hypervisor: "chroot", hvparams: {} });
const stop = { force: false, isRepeated: false, timeoutSeconds: 5 };

describe.skipIf(!isPossible)(`an instance under chroot [lacks root or ${lacking}]`, () => {
  let context: TestContext;
  let chroot: Hypervisor;
  let root: string;
  beforeEach(() => {
    context = aContext();
    chroot = chrootHypervisor(context);
    root = join(context.paths.run, "chroot-hypervisor", instance.name);
  });
  afterEach(async () => {
    await chroot.stop(instance, { ...stop, force: true, isRepeated: true });
    await chroot.cleanUp(instance.name);
  });

  /** A disk image with a file system whose start script runs these lines. */
  function disk(start: string): string {
    const tree = join(context.root, "tree");
    for (const folder of ["bin", "data", "dev"]) mkdirSync(join(tree, folder), { recursive: true });
    for (const name of ["sh", "sleep"]) copyFileSync(busybox, join(tree, "bin", name));
    // The shell opens /dev/null for background programs.
    writeFileSync(join(tree, "dev/null"), "");
    const script = join(tree, "ganeti-chroot");
    const lines = ["#!/bin/sh", 'case "$1" in', `start) ${start};;`];
    writeFileSync(script, [...lines, "stop) echo asked > /data/asked;;", "esac", ""].join("\n"));
    chmodSync(script, 0o755);
    const image = join(context.root, "image");
    execFileSync("mke2fs", ["-q", "-t", "ext4", "-d", tree, image, "16M"]);
    return image;
  }
  const start = (link: string) =>
    chroot.start(instance, [{ disk: {} as never, link, uri: null }], false);
  const sleeps = "sleep 300 <&- >&- 2>&- &";

  test("runs while a process uses its disk, shuts down on request and leaves nothing mounted", async () => {
    expect(await chroot.info(instance.name)).toBeNull();
    await start(disk(sleeps));
    expect(await chroot.list()).toEqual([instance.name]);
    expect(await chroot.info(instance.name)).toMatchObject({
      state: "running",
      hypervisor: "chroot",
    });
    await expect(chroot.cleanUp(instance.name)).rejects.toThrow("Processes are still using");
    await chroot.stop(instance, stop);
    expect(existsSync(join(root, "data/asked"))).toBe(true);
    await expect.poll(() => chroot.list()).toEqual([]);
    await chroot.cleanUp(instance.name);
    expect(existsSync(root)).toBe(false);
    expect(execFileSync("cat", ["/proc/mounts"], { encoding: "utf8" })).not.toContain(root);
  });

  test("leaves nothing mounted if its start script fails", async () => {
    await expect(start(disk("echo broken >&2; exit 3"))).rejects.toThrow(
      /Can't run the chroot start script: exited with exit code 3 \(broken/,
    );
    expect(existsSync(root)).toBe(false);
  });

  test("refuses operations of virtual machines with Ganeti's texts", async () => {
    await expect(chroot.reboot(instance)).rejects.toThrow("doesn't implement the reboot");
    await expect(chroot.migration.info(instance)).rejects.toThrow("Migration not supported");
    await expect(chroot.start(instance, [], false)).rejects.toThrow("needs at least one disk");
    for (const init_script of ["ganeti-chroot", "/../bin/sh", "/a\nb"]) {
      await expect(chroot.validate({ init_script })).rejects.toThrow("must be an absolute path");
    }
  });
});
