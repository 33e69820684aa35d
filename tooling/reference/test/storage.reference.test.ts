import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { benchUnavailable, bringUp, type ReferenceBench } from "../src/index.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

describe.skipIf(problem !== undefined)("the stand-ins for LVM and DRBD", () => {
  let bench: ReferenceBench;
  beforeAll(async () => {
    bench = await bringUp({ storage: true });
  });
  afterAll(() => bench?.down());

  const add = (name: string, ...options: string[]) =>
    bench.attempt("gnt-instance", [
      ...["add", "--no-ip-check", "-o", "noop+default", "-B", "memory=128M", ...options, name],
    ]);
  const volumesOf = async (index: number) => {
    const args = ["--noheadings", "--nosuffix", "--units=m", "--separator=|", "-olv_name,lv_size"];
    const { stdout } = await bench.exec("lvs", args, { node: bench.nodes[index] ?? bench.master });
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.trim().replace(/^[-\w]+\./, ""));
  };
  const mirrorOf = async (index: number) => {
    const { stdout } = await bench.exec("drbd-status", [], {
      node: bench.nodes[index] ?? bench.master,
    });
    return /^ \d+: (cs:\S+ ro:\S+ ds:\S+)/m.exec(stdout)?.[1];
  };

  test("let Ganeti make plain and drbd instances, whose volumes lvs lists on their nodes", async () => {
    expect(await volumesOf(0)).toEqual(
      expect.arrayContaining(["disk0|128.00", "disk0_data|128.00", "disk0_meta|128.00"]),
    );
    expect((await volumesOf(1)).toSorted()).toEqual(["disk0_data|128.00", "disk0_meta|128.00"]);
    expect(await volumesOf(2)).toEqual([]);
    expect(await mirrorOf(0)).toBe("cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate");
    expect(await mirrorOf(1)).toBe("cs:Connected ro:Secondary/Primary ds:UpToDate/UpToDate");
  });

  test("leave gnt-cluster verify and verify-disks nothing to say about disks", async () => {
    const { stdout } = await bench.attempt("gnt-cluster", ["verify"]);
    const errors = stdout.split("\n").filter((line) => line.includes("ERROR"));
    expect(errors.filter((line) => !line.includes("sysrq-trigger"))).toEqual([]);
    const disks = await bench.exec("gnt-cluster", ["verify-disks"]);
    expect(disks.stdout).toMatch(/No disks need to be activated\.\n$/);
    expect(disks.stdout).not.toContain("Activating");
  });

  test("swap the roles of a mirror when its instance migrates", async () => {
    await bench.exec("gnt-instance", ["migrate", "-f", "inst8.example.com"]);
    expect(await mirrorOf(0)).toBe("cs:Connected ro:Secondary/Primary ds:UpToDate/UpToDate");
    await bench.exec("gnt-instance", ["migrate", "-f", "inst8.example.com"]);
    expect(await mirrorOf(0)).toBe("cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate");
  });

  test("synchronise a new secondary, which the job waits for, and free the old one", async () => {
    const replace = ["replace-disks", "-n", bench.nodes[2]?.name ?? "", "inst8.example.com"];
    const running = async () => {
      const list = ["list", "--no-headers", "-o", "id", "--running"];
      const { stdout } = await bench.exec("gnt-job", list);
      return stdout.trim() === ""
        ? ""
        : (await bench.exec("gnt-job", ["info", stdout.trim()])).stdout;
    };
    const { recording } = await bench.record(async () => {
      const release = bench.holdSynchronisation();
      const job = bench.exec("gnt-instance", replace);
      await expect.poll(running, { timeout: 120_000 }).toMatch(/device disk\/0: +\d+\.\d+% done/);
      expect(await mirrorOf(0)).toBe("cs:SyncSource ro:Primary/Secondary ds:UpToDate/Inconsistent");
      expect(await mirrorOf(2)).toBe("cs:SyncTarget ro:Secondary/Primary ds:Inconsistent/UpToDate");
      release();
      await job;
    });
    expect(await volumesOf(1)).toEqual([]);
    expect(await mirrorOf(1)).toBeUndefined();
    expect(await mirrorOf(2)).toBe("cs:Connected ro:Secondary/Primary ds:UpToDate/UpToDate");
    const called = recording.nodeCalls.map(({ method }) => method);
    expect(called).toContain("drbd_disconnect_net");
    expect(called).toContain("drbd_attach_net");
    expect(called).toContain("blockdev_getmirrorstatus");
  });

  test("give whole extents of 4 MiB", async () => {
    await bench.exec("gnt-instance", ["grow-disk", "inst7.example.com", "0", "30M"]);
    expect(await volumesOf(0)).toContain("disk0|160.00");
    await bench.exec("lvcreate", ["-L30m", "-nodd", "xenvg"]);
    expect(await volumesOf(0)).toContain("odd|32.00");
    await bench.exec("lvremove", ["-f", "xenvg/odd"]);
  });

  test("copy a volume into its snapshot", async () => {
    const { stdout } = await bench.exec("lvs", ["--noheadings", "-olv_name"]);
    const origin = `/dev/xenvg/${/\S+\.disk0\b(?!_)/.exec(stdout)?.[0]}`;
    await bench.exec("sh", ["-c", `printf hello | dd of=${origin} conv=notrunc`]);
    await bench.exec("lvcreate", ["-L160m", "-s", "-ncopy", origin]);
    const copied = await bench.exec("head", ["-c", "5", "/dev/xenvg/copy"]);
    expect(copied.stdout).toBe("hello");
    await bench.exec("lvremove", ["-f", "xenvg/copy"]);
    expect(await volumesOf(0)).not.toContain("copy|160.00");
  });

  test("have no room for more than their volume group, and no other group", async () => {
    const large = await add(
      "inst21.example.com",
      "-t",
      "plain",
      "-s",
      "900G",
      "-n",
      "node1.example.com",
    );
    expect(large.status).toBe(1);
    expect(large.stderr).toContain("vg xenvg: required 921600 MiB, available");
    const other = ["--disk", "0:size=64M,vg=other", "-n", "node1.example.com"];
    const elsewhere = await add("inst21.example.com", "-t", "plain", ...other);
    expect(elsewhere.stderr).toContain(
      "Can't compute free disk space on node node1.example.com for vg other",
    );
    const created = await bench.attempt("lvcreate", ["-L200000m", "-nbig", "xenvg"]);
    expect(created).toMatchObject({
      status: 5,
      stderr: expect.stringContaining("insufficient free space"),
    });
  });

  test("refuse a second primary, as DRBD does", async () => {
    const [, , third] = bench.nodes;
    if (third === undefined) throw new Error("no third node");
    const { status, stderr } = await bench.attempt("drbdsetup", ["primary", "0"], { node: third });
    expect(stderr).toContain("Multiple primaries not allowed by config");
    expect(status).toBe(11);
  });

  test("keep nothing of an instance that is removed", async () => {
    await bench.exec("gnt-instance", ["remove", "-f", "inst8.example.com"]);
    await bench.exec("gnt-instance", ["remove", "-f", "inst7.example.com"]);
    for (const index of bench.nodes.keys()) {
      expect(await volumesOf(index)).toEqual([]);
      expect(await mirrorOf(index)).toBeUndefined();
    }
    expect(readdirSync(join(bench.directory, "devices/xenvg"))).toEqual([]);
  });
});
