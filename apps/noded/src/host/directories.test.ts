import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aContext, fakeRunner } from "../../test/a-context.js";
import { ensureDirectories } from "./directories.js";

/** Accounts of Ganeti's users, all with the ids of this process, because only root may change owners. */
const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
const asOwn = (machine: ReturnType<typeof aContext>) => ({
  ...machine,
  ...fakeRunner(({ args }) => ({
    stdout: `${args[1]}:x:${args[0] === "passwd" ? uid : gid}:
`,
  })),
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe.skipIf(uid !== 0)("a daemon that starts [lacks root]", () => {
  test("the directories of a node are made with their modes, and known files are corrected", async () => {
    const machine = aContext();
    const key = machine.write("var/lib/ganeti/server.pem", "key", 0o644);
    const list = machine.write("var/lib/ganeti/ssconf_node_list", "node1\n", 0o600);
    const other = machine.write("var/lib/ganeti/notes.txt", "", 0o604);
    chmodSync(machine.paths.run, 0o700);
    await ensureDirectories(asOwn(machine));
    const { data, run, log } = machine.paths;
    expect(modeOf(run)).toBe(0o775);
    expect(modeOf(join(run, "uid-pool"))).toBe(0o750);
    expect(modeOf(join(run, "crypto"))).toBe(0o700);
    expect(modeOf(join(log, "extstorage"))).toBe(0o750);
    expect(modeOf(join(data, "queue/archive"))).toBe(0o750);
    expect([key, list, other].map(modeOf)).toEqual([0o440, 0o444, 0o604]);
  });

  test("directories that a boot has removed from the memory file system are created again", async () => {
    const machine = aContext();
    await ensureDirectories(asOwn(machine));
    const logged = machine.logged.length;
    await ensureDirectories(asOwn(machine));
    expect(machine.logged.length).toBe(logged);
    expect(existsSync(join(machine.paths.run, "instance-disks"))).toBe(true);
  });

  test("a link that the administrator has put in place of a directory is left alone", async () => {
    const machine = aContext();
    const elsewhere = join(machine.root, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o711 });
    symlinkSync(elsewhere, join(machine.paths.log, "os"));
    await ensureDirectories(asOwn(machine));
    expect(lstatSync(join(machine.paths.log, "os")).isSymbolicLink()).toBe(true);
    expect(modeOf(elsewhere)).toBe(0o711);
  });
});
