import { unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { acceleration } from "../src/hypervisor/kvm/accelerator.js";
import { placeDevice } from "../src/hypervisor/kvm/devices.js";
import { featureReader, featuresOf } from "../src/hypervisor/kvm/features.js";
import { statusOf } from "../src/hypervisor/kvm/migration.js";
import { displayPasswords } from "../src/hypervisor/kvm/passwords.js";
import { cpuMasks } from "../src/hypervisor/kvm/pinning.js";
import { isOwnPowerOff } from "../src/hypervisor/kvm/power-off-watch.js";
import { ownCommand } from "../src/hypervisor/kvm/process.js";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import { withPresentLinks } from "../src/hypervisor/kvm/relocation.js";
import { hvparamsAtStart, readRuntime, runtimeText } from "../src/hypervisor/kvm/runtime.js";
import type { Runner } from "../src/machine/runner.js";
import { freeName, interfaceNames, unusedIn } from "../src/network/taps.js";
import { aFolder, finished, quiet } from "./a-context.js";
import { olderQemu, qemu72 } from "./kvm-printed.js";
import { hvparams } from "./machine-namespace.js";

let folder: string;
beforeEach(() => {
  folder = aFolder();
});

describe("features", () => {
  test("are read from what QEMU 7.2 prints", () => {
    const found = featuresOf(qemu72);
    expect(found).toMatchObject({
      version: [7, 2, 22],
      vhost: true,
      multiqueue: true,
      bootOfDrive: false,
      autoReadOnly: true,
      defaultMachine: "pc-i440fx-7.2",
    });
    expect([found.hasOption("spice"), found.hasOption("soundhw")]).toEqual([true, false]);
    expect([found.hasMachine("pc"), found.hasMachine("none")]).toEqual([true, false]);
    expect([found.hasDriver("scsi-hd"), found.hasDriver("scsi")]).toEqual([true, false]);
  });

  test("of an older program are fewer", () => {
    expect(featuresOf(olderQemu)).toMatchObject({
      ...{ version: [1, 7, 0], vhost: false, multiqueue: false },
      ...{ bootOfDrive: true, autoReadOnly: false, defaultMachine: "pc" },
    });
  });

  test("are read again only when the program has changed", async () => {
    let runs = 0;
    const answers: Record<string, string> = { "--help": qemu72.help, "-machine": qemu72.machines };
    const run: Runner = {
      async run(command) {
        runs++;
        return finished(command, { stdout: answers[command.args[0] ?? ""] ?? qemu72.devices });
      },
      detach: () => Promise.reject(new Error("nothing is detached")),
    };
    const read = featureReader({ run });
    const program = join(folder, "kvm");
    writeFileSync(program, "");
    await read(program);
    await read(program);
    expect(runs).toBe(3);
    utimesSync(program, 1, 1);
    await read(program);
    expect(runs).toBe(6);
    unlinkSync(program);
    await expect(read(program)).rejects.toThrow(`The KVM binary ('${program}') does not exist`);
  });
});

test.each([
  { words: ["kvm", "-vnc", ":1,password"], found: { vnc: "secret", spice: null } },
  { words: ["kvm", "-vnc", ":1,password=on"], found: { vnc: "secret", spice: null } },
  { words: ["kvm", "-vnc", "unix:/p/web.vnc"], found: { vnc: null, spice: null } },
  { words: ["kvm", "-display", "none"], found: { vnc: null, spice: null } },
  { words: ["kvm", "-spice", "addr=::1,port=5901"], found: { vnc: null, spice: "secret" } },
  { words: ["kvm", "-spice", "addr=::1,disable-ticketing"], found: { vnc: null, spice: null } },
])("only the display that takes a password gets it: $words", async ({ words, found }) => {
  const file = join(folder, "password");
  writeFileSync(file, "secret\n");
  const params = { vnc_password_file: file, spice_password_file: file };
  expect(await displayPasswords(params, { words })).toEqual(found);
});

describe("the accelerator", () => {
  const choose = async (works: boolean, params: object) => {
    const warnings: string[] = [];
    const log = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
    const { choose } = acceleration({ log, run: undefined as never }, async () => works);
    const chosen = await choose({ ...hvparams, ...params });
    await choose({ ...hvparams, ...params });
    return [chosen, warnings.length];
  };
  test.each([
    { works: true, params: { kvm_flag: "enabled" }, gives: ["kvm", 0] },
    { works: false, params: { kvm_flag: "enabled" }, gives: ["tcg", 1] },
    { works: false, params: { kvm_path: "/usr/bin/kvm" }, gives: ["tcg", 1] },
    { works: true, params: { kvm_path: "/usr/bin/kvm" }, gives: [null, 0] },
    { works: false, params: {}, gives: [null, 0] },
  ])("where KVM works: $works, with $params, is $gives", async ({ works, params, gives }) => {
    expect(await choose(works, params)).toEqual(gives);
  });

  test("is probed again after a probe that could not be carried out", async () => {
    const log = quiet;
    const probes = [() => Promise.reject(new Error("no space left")), async () => true];
    const next = async () => probes.shift()?.() ?? false;
    const { choose } = acceleration({ log, run: undefined as never }, next);
    const params = { ...hvparams, kvm_flag: "enabled" };
    await expect(choose(params)).rejects.toThrow("no space left");
    expect([await choose(params), await choose(params)]).toEqual(["kvm", "kvm"]);
  });
});

test.each([
  ["all", [null]],
  ["1-3,8:all:0", [[1, 2, 3, 8], null, [0]]],
])("the CPU mask %s is understood", (text, masks) => expect(cpuMasks(text)).toEqual(masks));

test.each([
  ["1-2-3", "only one hyphen allowed): 1-2-3"],
  ["x-2", "Invalid CPU ID value for lower boundary of CPU ID range"],
  ["1-", "Invalid CPU ID value for higher boundary of CPU ID range"],
  ["5-3", "(5 > 3): 5-3"],
])("the CPU mask %s is refused", (text, why) => expect(() => cpuMasks(text)).toThrow(why));

test("a device takes the lowest free slot after those of QEMU, and a SCSI disk the lowest free id", () => {
  const first = placeDevice("disk", "a-b-c-d", hvparams, []);
  expect(first).toEqual({ driver: "virtio-blk-pci", id: "disk-a-b-c", bus: "pci.0", addr: "0xc" });
  const other = { bus: "pci.0", addr: "0xd" };
  expect(placeDevice("nic", "n", hvparams, [first, other])).toMatchObject({ addr: "0xe" });
  const scsi = { ...hvparams, disk_type: "scsi-hd" };
  const one = placeDevice("disk", "a", scsi, []);
  expect(placeDevice("disk", "b", scsi, [one])).toMatchObject({ "scsi-id": 1, bus: "scsi.0" });
});

test.each([
  ["ours", "qemu -name web -m 128 -smp 2,cores=2", { memoryMib: 128, vcpus: 2 }],
  ["another instance", "qemu -name mail -m 128", null],
  ["another program under the same number", "sleep 10", null],
  ["with suffixes", "qemu -name web,debug=on -m 1024M -smp 1", { memoryMib: 1024, vcpus: 1 }],
])("a command line is told apart: %s", (_, words, found) => {
  expect(ownCommand(`${words.split(" ").join("\0")}\0`, "web")).toEqual(found);
});

describe("the runtime file", () => {
  const nic = { uuid: "u", mac: "m", nicparams: {}, hvinfo: { driver: "virtio-net-pci", id: "n" } };
  const disk = { uuid: "d", dev_type: "file", hvinfo: { id: "x" } };

  test("of Ganeti is read and written without a change", () => {
    const text = `${JSON.stringify([
      ["/usr/bin/kvm", "-name", "web", "-m", 128],
      [nic],
      { acpi: true },
      [[disk, "/var/run/ganeti/instance-disks/web:0", null]],
    ])}\n`;
    expect(runtimeText(readRuntime(text))).toBe(text);
  });

  test("of older versions is converted to the current form", () => {
    const words = ["kvm", "-localtime", "-balloon", "virtio,x=1", "-vnc", ":1,tls,x509verify=/p"];
    const old = JSON.stringify([
      words,
      [
        { mac: "m", pci: 3 },
        { uuid: "ab-cd", pci: 12 },
      ],
      {},
    ]);
    const runtime = readRuntime(old);
    expect(runtime.words).toEqual([
      ...["kvm", "-rtc", "base=localtime", "-device", "virtio-balloon,x=1"],
      ...["-object", "tls-creds-x509,id=vnctls0,endpoint=server,dir=/p,verify-peer=yes"],
      ...["-vnc", ":1,tls-creds=vnctls0"],
    ]);
    expect(runtime.nics[0]?.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(runtime.nics[1]?.hvinfo).toEqual({
      ...{ driver: "virtio-net-pci", id: "hotnic-ab-pci-12", addr: "0xc", bus: "pci.0" },
    });
    expect(runtime.disks).toEqual([]);
  });

  test.each(["", "{}", "[[],[]]", "[[{}],[],{}]"])("%j is refused", (text) =>
    expect(() => readRuntime(text)).toThrow("Failed to load KVM runtime file: "),
  );

  test("determines the parameters, except those of users and passwords", () => {
    const stored = { hvparams: { acpi: false, security_model: "pool", keymap: "de" } };
    const now = { acpi: true, security_model: "none", keymap: "" };
    expect(hvparamsAtStart(now, stored)).toEqual({
      acpi: false,
      security_model: "none",
      keymap: "",
    });
  });
});

describe("QMP", () => {
  const greeting = '{"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 22}}}}';
  /** Answers each line by the next of `answers`; null stays silent. */
  async function withServer<T>(
    first: string,
    answers: readonly (string | null)[],
    action: (path: string) => Promise<T>,
  ): Promise<T> {
    const path = join(folder, "qmp");
    const server = createServer((socket) => {
      const left = [...answers];
      socket.write(`${first}\r\n`);
      socket.on("data", () => {
        const next = left.shift();
        if (typeof next === "string") socket.write(`${next}\r\n`);
      });
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      return await action(path);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }
  const ok = '{"return": {}}';
  const event = '{"event": "STOP", "data": {}}';

  test("skips events before the greeting and between answers", async () => {
    const answers = [ok, `${event}\r\n{"return": {"actual": 5}}`];
    await withServer(`${event}\r\n${greeting}`, answers, async (path) => {
      const seen = await withQmp(path, async (qmp) => [
        qmp.version,
        await qmp.execute("query-balloon"),
        await qmp.awaited((one) => one.event === "STOP", 1_000),
        await qmp.awaited((one) => one.event === "RESET", 1),
      ]);
      expect(seen).toEqual([[7, 2, 22], { actual: 5 }, true, false]);
    });
  });

  test.each([
    {
      answer: '{"error": {"class": "GenericError", "desc": "no"}}',
      text: "kvm: error executing the x command: no (GenericError):",
    },
    {
      answer: '{"error": {"class": "CommandNotFound", "desc": "no"}}',
      text: "Instance does not support the 'x' QMP command.",
    },
    { answer: null, text: "Timeout while receiving a QMP message" },
    { answer: "no JSON", text: "kvm: QMP communication error" },
  ])("fails with $text", ({ answer, text }) =>
    withServer(greeting, [ok, answer], (path) =>
      expect(withQmp(path, (qmp) => qmp.execute("x"), 500)).rejects.toThrow(text),
    ),
  );

  test("serves the users of a socket one after the other", () =>
    withServer(greeting, [ok, ok], async (path) => {
      const order: string[] = [];
      const use = (name: string) =>
        withQmp(path, async (qmp) => {
          order.push(`${name} begins`);
          await qmp.execute("x");
          order.push(`${name} ends`);
        });
      await Promise.all([use("a"), use("b")]);
      expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    }));

  test("refuses a file that is not a socket, and a socket that is not a monitor", async () => {
    await expect(withQmp(join(folder, "none"), async () => {})).rejects.toThrow(
      "No monitor socket found",
    );
    writeFileSync(join(folder, "file"), "");
    await expect(withQmp(join(folder, "file"), async () => {})).rejects.toThrow(
      "Monitor socket is not a socket",
    );
    await withServer('{"hello": 1}', [], (path) =>
      expect(withQmp(path, async () => {})).rejects.toThrow("wrong server greeting"),
    );
  });
});

describe("a guest's own power-off", () => {
  const off = (reason?: string) => ({ event: "SHUTDOWN", data: reason ? { reason } : {} });
  const event = (name: string) => ({ event: name, data: {} });
  test.each([
    { events: [off("guest-shutdown")], isOwn: true },
    { events: [off()], isOwn: true },
    { events: [off("host-signal")], isOwn: false },
    { events: [event("POWERDOWN"), off("guest-shutdown")], isOwn: false },
    { events: [event("STOP"), off("guest-shutdown")], isOwn: false },
    { events: [event("STOP"), event("RESUME"), off("guest-shutdown")], isOwn: true },
    { events: [], isOwn: false },
  ])("$isOwn for $events", ({ events, isOwn }) => expect(isOwnPowerOff(events)).toBe(isOwn));
});

test("migration counts as active until QEMU says that it has ended", () => {
  const words = [
    "setup",
    "active",
    "device",
    "postcopy-active",
    "completed",
    "cancelled",
    "failed",
  ];
  expect(words.map((status) => statusOf({ status }))).toEqual([
    ...["active", "active", "active", "active", "completed", "cancelled", "failed"],
  ]);
  expect(statusOf({})).toBe("failed");
});

test("interfaces are parsed from the output of ip", () => {
  const links = "1: lo: <LOOPBACK> mtu 65536\\ link\n4: tap0@if3: <UP>\n5: gnt.com.3: <UP>\n";
  expect(interfaceNames(links)).toEqual(["lo", "tap0", "gnt.com.3"]);
  expect(freeName(["lo", "tap0", "tap2"], null)).toBe("tap1");
  expect(freeName(["lo"], "ganeti:communication:web")).toBe("gnt.com.0");
  expect(freeName(["gnt.com.3", "gnt.com.x"], "ganeti:communication:web")).toBe("gnt.com.4");
});

test("an interface belongs to the node and the instance in its alias, and is unused without a carrier", () => {
  const line = (name: string, rest: string, flags = "NO-CARRIER,BROADCAST,UP") =>
    `7: ${name}: <${flags}> mtu 1500 state DOWN qlen 1000\\    link/ether fe:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff${rest}`;
  const output = [
    line("tap0", "\\    alias ganeti-ts node1 web.example.com"),
    line("tap1", "\\    alias ganeti-ts node11 web.example.com"),
    line("tap2", ""),
    line("tap3", "\\    alias uplink"),
    line("tap4", "\\    alias ganeti-ts node1 used.example.com", "BROADCAST,UP,LOWER_UP"),
    line("gnt.com.0", "\\    alias ganeti-ts node1 db.example.com\\    more"),
    "",
  ].join("\n");
  expect([...unusedIn(output, "node1")]).toEqual([
    ["tap0", "web.example.com"],
    ["gnt.com.0", "db.example.com"],
  ]);
});

test("after a migration or reboot, disks have the links of their current positions", () => {
  const disk = (uuid: string, link: string | null, uri: string | null = null) => ({
    ...{ disk: { uuid, hvinfo: {} }, link, uri },
  });
  const kept = [disk("a", "/d/web:0"), disk("c", "/d/web:2"), disk("u", null, "rbd:u")];
  const runtime = { words: [], nics: [], hvparams: {}, disks: [...kept, disk("d", "/d/web:2")] };
  const instance = { name: "web", disks: ["a", "c", "u", "d"].map((uuid) => ({ uuid })) };
  const pathOf = (name: string, index: number) => `/links/${name}:${index}`;
  expect(withPresentLinks(runtime, instance as never, { pathOf }).disks).toEqual([
    ...[disk("a", "/links/web:0"), disk("c", "/links/web:1"), disk("u", null, "rbd:u")],
    disk("d", "/links/web:3"),
  ]);
});
