import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { beforeEach, describe, expect, test } from "vitest";
import type { NodeContext } from "../../src/context.js";
import { diskTypes } from "../../src/storage/disk-types.js";
import { drbdChecks } from "../../src/storage/drbd/drbd-checks.js";
import { netCalls } from "../../src/storage/drbd/net-calls.js";
import { aFolder, noSignal } from "../a-context.js";
import { type Script, scriptedMachine } from "../scripted-machine.js";
import { type Shown, show } from "./drbd-texts.js";

const head = "version: 8.4.11 (api:1/proto:86-101)\nsrcversion: 211FB288A383ED945B83420\n";
const ends = { localIp: "192.0.2.1", remoteIp: "192.0.2.2", localMinor: 0, remoteMinor: 3 };
const params = {
  ...{ protocol: "B", "resync-rate": 61_440, "default-metavg": "xenvg", "disabled-barriers": "bf" },
  ...{ "disable-meta-flush": true, "disk-custom": "--al-extents '13 37'", "net-custom": "" },
  ...{ "dynamic-resync": false, "c-plan-ahead": 20, "c-fill-target": 0, "c-delay-target": 1 },
  ...{ "c-max-rate": 61_440, "c-min-rate": 4096 },
};
const disk: DiskOnNode = {
  ...{ uuid: "uuid-mirror", dev_type: "drbd", size: 128, iv_name: "disk/0", params, ends },
  logical_id: ["A", "B", 11_000, 0, 3, "c0ffee"],
  children: ["data", "meta"].map((name) => ({
    ...{ uuid: `uuid-${name}`, dev_type: "plain", size: 128, params: { stripes: 1 } },
    logical_id: ["xenvg", name],
  })),
};
const children = ["data", "meta"].map((name) => ({
  ...{ path: `/dev/xenvg/${name}`, major: 253, minor: 0, uri: null },
}));

const readable = { "dd if=/dev/xenvg/meta of=/dev/null bs=131072 count=1": "" };
const shown = "drbdsetup show 0";
const addresses = { local: "ipv4 192.0.2.1:11000", remote: "ipv4 192.0.2.2:11000" };
const storage = { data: "/dev/xenvg/data", meta: "/dev/xenvg/meta" };
const objects = { "drbdsetup new-resource resource0": "", "drbdsetup new-minor resource0 0 0": "" };
const attaching = {
  ...objects,
  "drbdmeta /dev/drbd0 v08 /dev/xenvg/meta flex-external apply-al": "",
  "drbdsetup attach 0 /dev/xenvg/data /dev/xenvg/meta flexible --on-io-error=detach --size 128m --md-flushes=no --disk-flushes=no --disk-barrier=no --al-extents '13 37'":
    "",
  "drbdsetup disk-options 0 --resync-rate 61440": "",
};
const connect = (protocol: string, dual = "") =>
  `drbdsetup connect resource0 ipv4:192.0.2.1:11000 ipv4:192.0.2.2:11000 --protocol ${protocol} --after-sb-0pri discard-zero-changes --after-sb-1pri consensus${dual} --cram-hmac-alg md5 --shared-secret '<secret>'`;
const connecting = { ...objects, [connect("B")]: "" };

let folder: string;
beforeEach(() => {
  folder = aFolder();
  mkdirSync(join(folder, "drbd/parameters"), { recursive: true });
});

const entry = (state: string): string => ` 0: ${state} C r-----\n    ns:0 nr:0\n`;
const connected = entry("cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate");
const standalone = entry("cs:StandAlone ro:Primary/Unknown ds:UpToDate/DUnknown");

/** A machine whose /proc/drbd contains `text`; with null the module is not loaded. */
function machine(script: Script, text: string | null = "") {
  const proc = join(folder, `proc${Math.random()}`);
  mkdirSync(proc);
  if (text !== null) writeFileSync(join(proc, "drbd"), head + text);
  const made = scriptedMachine(script);
  const paths = { ...made.context.paths, proc, modules: folder };
  const context: NodeContext = { ...made.context, paths };
  return { ...made, context, drbd: diskTypes(context)(disk), proc };
}

const creation = { sizeMib: 128, exclusiveStorage: false, children };

describe("a mirror", () => {
  test("gets new metadata under a minor that is free", async () => {
    const wipe = "dd if=/dev/zero of=/dev/xenvg/meta bs=1048576 count=128 oflag=direct";
    const make = "drbdmeta --force /dev/drbd0 v08 /dev/xenvg/meta flex-external create-md";
    const size = "blockdev --getsize64 /dev/xenvg/meta";
    const { drbd, commands } = machine({
      ...readable,
      [size]: "134217728\n",
      [wipe]: "",
      [make]: "",
    });
    await drbd.create(disk, creation);
    expect(commands.slice(-2)).toEqual([wipe, make]);
    const small = machine({ ...readable, [size]: "67108864\n" });
    await expect(small.drbd.create(disk, creation)).rejects.toThrow(
      "Meta device too small (64.00Mib)",
    );
  });

  test("keeps its metadata when its creation is repeated, and no minor is taken from another", async () => {
    const again = machine({ ...readable, [shown]: show(storage) }, connected);
    await again.drbd.create(disk, creation);
    const other = { data: "/dev/xenvg/other", meta: "/dev/xenvg/meta" };
    const { drbd } = machine({ ...readable, [shown]: show(other) }, connected);
    await expect(drbd.create(disk, creation)).rejects.toThrow(
      "drbd0: minor is already in use at Create() time",
    );
  });

  test("is attached, then connected, where nothing is configured", async () => {
    const { drbd, commands } = machine({
      ...{ ...readable, ...attaching, ...connecting },
      [shown]: ["", show({ ...storage, ...addresses })],
    });
    expect(await drbd.assemble(disk, children)).toEqual({
      ...{ path: "/dev/drbd0", major: 147, minor: 0, uri: null },
    });
    expect(commands).toEqual([
      ...Object.keys(readable),
      ...Object.keys(attaching),
      ...Object.keys(connecting),
      ...[shown, shown],
    ]);
  });

  test("comes up without a disk whose metadata cannot be read", async () => {
    const broken = { [Object.keys(readable)[0] as string]: { code: 1, stderr: "dd: error" } };
    const { drbd, commands } = machine({ ...broken, ...connecting, [shown]: show(addresses) });
    await drbd.assemble(disk, children);
    expect(commands.some((command) => command.includes("attach"))).toBe(false);
    expect(commands).toContain(connect("B"));
  });

  test("loads the module if necessary", async () => {
    const load = "modprobe drbd minor_count=128 usermode_helper=/bin/true";
    const { drbd, commands } = machine(
      { [load]: { code: 1, stderr: "no module" }, ...readable },
      null,
    );
    await expect(drbd.assemble(disk, children)).rejects.toThrow(
      "cannot be opened, check if the module is loaded ([Errno 2] No such file or directory",
    );
    expect(commands).toContain(load);
  });

  test("is primary, forced only after its creation, and secondary", async () => {
    const { drbd, commands } = machine(
      {
        "drbdsetup primary 0": { code: 17, stderr: "no data\n" },
        "drbdsetup primary 0 --force": "",
        "drbdsetup secondary 0": "",
      },
      connected,
    );
    await drbd.open(disk, { force: true, exclusive: true });
    await drbd.close(disk);
    expect(commands).toEqual(["drbdsetup primary 0 --force", "drbdsetup secondary 0"]);
    await expect(drbd.open(disk, { force: false, exclusive: true })).rejects.toThrow(
      "drbd0: can't make drbd device primary: no data\n",
    );
  });

  test("goes down only if its minor exists", async () => {
    const down = "drbdsetup down resource0";
    const { drbd, commands } = machine({ [down]: "" }, connected);
    await drbd.shutdown(disk);
    // A single side that is left of a mirror has no peer.
    const side = machine({ [down]: "" }, connected);
    const alone = { ...ends, remoteIp: "", remoteMinor: 0 };
    const logical_id = ["A", null, null, 0, null, null];
    await side.drbd.shutdown({ ...disk, ends: alone, logical_id });
    expect(side.commands).toEqual([down]);
    const none = machine({}, " 1: cs:Unconfigured\n");
    await none.drbd.shutdown(disk);
    expect([commands, none.commands]).toEqual([[down], []]);
    // After a boot no module is loaded yet.
    await machine({}, null).drbd.shutdown(disk);
    // An interrupted start leaves its minor, perhaps without a resource.
    const gone = { code: 10, stderr: "resource0: unknown resource\n" };
    const half = machine({ [down]: gone }, " 0: cs:Unconfigured\n");
    await half.drbd.shutdown(disk);
    expect(half.commands).toEqual([down]);
    await expect(machine({ [down]: gone }, connected).drbd.shutdown(disk)).rejects.toThrow(
      "drbd0: can't shutdown drbd device: resource0: unknown resource",
    );
  });

  test("reports a growth as failed if the kernel refused what drbdsetup accepted", async () => {
    const resize = "drbdsetup resize 0 --size 192m";
    const size = "blockdev --getsize64 /dev/drbd0";
    const growth = { amountMib: 64, dryRun: false, backingStore: false, exclusiveStorage: false };
    const { drbd } = machine({ [resize]: "", [size]: "134217728\n" }, connected);
    await expect(drbd.grow(disk, growth)).rejects.toThrow(
      "drbd0: resize failed: the device has 134217728 bytes instead of 192 MiB",
    );
    const good = machine({ [resize]: "", [size]: ["134217728\n", "201326592\n"] }, connected);
    await good.drbd.grow(disk, growth);
    expect(good.commands).toEqual([resize, size, size]);
  });

  test.each([
    [connected, false, "ok"],
    [standalone, true, "ok"],
    [entry("cs:StandAlone ro:Secondary/Unknown ds:UpToDate/DUnknown"), true, "unknown"],
    [entry("cs:WFConnection ro:Primary/Unknown ds:UpToDate/DUnknown"), true, "ok"],
    [entry("cs:SyncTarget ro:Secondary/Primary ds:Inconsistent/UpToDate"), true, "sync"],
    [entry("cs:Connected ro:Secondary/Primary ds:Diskless/UpToDate"), true, "faulty"],
    [entry("cs:Connected ro:Secondary/Primary ds:Outdated/UpToDate"), true, "unknown"],
  ])("with %j is degraded: %s, its disk %s", async (text, degraded, localDisk) => {
    const { drbd } = machine({}, text);
    expect(await drbd.status(disk, {} as never)).toMatchObject({ degraded, localDisk });
  });
});

describe("a mirror that is configured already", () => {
  const assembled = (first: Shown, then: Shown, more: Script) => {
    const made = machine({ ...readable, ...more, [shown]: [show(first), show(then)] }, connected);
    return { ...made, done: () => made.drbd.assemble(disk, children) };
  };
  const whole = { ...storage, ...addresses };
  const foreign = { local: "ipv4 192.0.2.1:11000", remote: "ipv4 192.0.2.9:11000" };

  test("with storage and peer needs nothing", async () => {
    const { done, commands } = assembled(whole, whole, {});
    await done();
    expect(commands.slice(1)).toEqual([shown]);
  });

  test("without a peer is connected", async () => {
    const { done, commands } = assembled(storage, whole, connecting);
    await done();
    expect(commands).toContain(connect("B"));
  });

  test("without storage is attached", async () => {
    const { done, commands } = assembled(addresses, whole, attaching);
    await done();
    expect(commands).toContain("drbdsetup disk-options 0 --resync-rate 61440");
  });

  test("with another peer is disconnected from that one first", async () => {
    const disconnect = "drbdsetup disconnect ipv4:192.0.2.1:11000 ipv4:192.0.2.9:11000";
    const { done, commands } = (() => {
      const made = machine(
        {
          ...{ ...readable, ...connecting, [disconnect]: "" },
          [shown]: [
            show({ ...storage, ...foreign }),
            show({ ...storage, ...foreign }),
            show(whole),
          ],
        },
        connected,
      );
      return { ...made, done: () => made.drbd.assemble(disk, children) };
    })();
    await done();
    expect(commands.indexOf(disconnect)).toBeLessThan(commands.indexOf(connect("B")));
    expect(commands).toContain(disconnect);
  });

  test("is refused if its storage differs", async () => {
    const other = { ...whole, data: "/dev/xenvg/other" };
    await expect(assembled(other, other, {}).done()).rejects.toThrow(
      "drbd0: cannot activate, unknown or unhandled reason",
    );
  });
});

describe("connections of mirrors", () => {
  test("are given protocol C while both sides may be primary", async () => {
    const dual = connect("C", " --allow-two-primaries");
    const made = machine(
      { ...objects, [dual]: "", [shown]: show({ ...storage, ...addresses }) },
      standalone,
    );
    const attach = netCalls(made.context).drbd_attach_net(
      { disks: [disk], multimaster: true },
      noSignal,
    );
    await expect(attach).rejects.toThrow("Timeout in disk reconnecting");
    expect(made.commands).toContain(dual);
  });

  test("are not changed if a mirror is connected in another way", async () => {
    const made = machine({ [shown]: show({ ...storage, ...addresses }) }, connected);
    const { drbd_attach_net: attach } = netCalls(made.context);
    expect(await attach({ disks: [disk], multimaster: false }, noSignal)).toBeUndefined();
    await expect(attach({ disks: [disk], multimaster: true }, noSignal)).rejects.toThrow(
      "Can't change network configuration: drbd0: device is not standalone in AttachNet",
    );
  });

  test("are reported after a minute if they do not end", async () => {
    const disconnect = "drbdsetup disconnect ipv4:192.0.2.1:11000 ipv4:192.0.2.2:11000";
    const ended = async (code: number) => {
      const made = machine({ [shown]: show(addresses), [disconnect]: { code } }, connected);
      await netCalls(made.context).drbd_disconnect_net({ disks: [disk] }, noSignal);
    };
    const prefix = "Can't change network configuration to standalone mode: drbd0: ";
    await expect(ended(0)).rejects.toThrow(`${prefix}device did not react`);
    await expect(ended(10)).rejects.toThrow(`${prefix}can't shutdown network, even after`);
  });

  test("are needed by mirrors that stand alone, and waited for", async () => {
    const made = machine({}, standalone);
    const { drbd_needs_activation: needs, drbd_wait_sync: wait } = netCalls(made.context);
    expect(await needs({ disks: [disk] }, noSignal)).toEqual(["uuid-mirror"]);
    await expect(wait({ disks: [disk] }, noSignal)).rejects.toThrow(
      /^DRBD device <DRBD8\(.* is not in sync: stats=StandAlone/,
    );
    const synced = netCalls(machine({}, connected).context);
    expect(await synced.drbd_wait_sync({ disks: [disk] }, noSignal)).toEqual({
      ...{ done: true, syncPercent: 100 },
    });
  });
});

test("a verification gives version, minors and helper, or the reasons why not", async () => {
  const asked = { clusterName: "cluster.example.com" };
  const all = async (context: NodeContext) => {
    const { drbdVersion, drbdList, drbdHelper } = drbdChecks(context);
    return {
      ...(await drbdVersion?.(true, asked)),
      ...(await drbdList?.(true, asked)),
      ...(await drbdHelper?.("/bin/true", asked)),
    };
  };
  writeFileSync(join(folder, "drbd/parameters/usermode_helper"), "/bin/true\n");
  expect(await all(machine({}, `${connected}12: cs:Unconfigured\n`).context)).toEqual({
    ...{ drbdVersion: "8.4.11 (api:1/proto:86-101)", drbdMinors: [0] },
    drbdHelper: { ok: true, text: "/bin/true" },
  });
  writeFileSync(join(folder, "drbd/parameters/usermode_helper"), "");
  const missing = expect.stringContaining("cannot be opened, check if the module is loaded");
  expect(await all(machine({}, null).context)).toEqual({
    ...{ drbdVersion: missing, drbdMinors: { fault: missing } },
    drbdHelper: { ok: false, text: expect.stringContaining("Can't read any data from") },
  });
});
