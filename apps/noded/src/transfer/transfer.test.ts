import { spawnSync } from "node:child_process";
import { createHash, randomBytes, X509Certificate } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aContext, noSignal } from "../../test/a-context.js";
import { compiledProgram } from "../../test/compiled-program.js";
import { type MachineFolder, machineFolder } from "../../test/machine-folder.js";
import {
  disk,
  ended,
  file,
  instance,
  options,
  send,
  transfer,
  transferNode,
} from "../../test/transfer-nodes.js";
import { shellQuoted } from "../machine/runner.js";
import type { OpenDisks } from "../os/os-scripts.js";
import { descriptionText, exportCalls, readDescription } from "./export-calls.js";
import { type TransferSetup, transferCommand } from "./pipeline.js";
import { ProgressMeter, readDdLine, readSocatLine } from "./transfer-lines.js";

type Key = Awaited<ReturnType<ReturnType<typeof transferNode>["x509_cert_create"]>>;

const setup: TransferSetup = {
  ...{ mode: "export", key: "/k", cert: "/c", ca: "/a", host: "192.0.2.1", port: 4000, family: 4 },
  ...{ peerName: "node2.example.com", connectRetries: 10, connectTimeoutSeconds: 20 },
  ...{ compress: "gzip", magic: "magic" },
  ...{ prefix: "dd if=/dev/x |", suffix: "" },
};

describe("the command of a transfer", () => {
  test("of an export sends the magic and the data through the compression", () => {
    const command = transferCommand(setup);
    expect(command).toMatch(
      /^dd if=\/dev\/x \| bash -o errexit -o pipefail -c '\{ echo -E -n M=magic && /,
    );
    expect(command).toContain("| gzip -1 -c | socat -ls -d -d -b1048576 -u stdin ");
    expect(command).toContain("OPENSSL:192.0.2.1:4000,connect-timeout=20,retry=10,intervall=1,");
    expect(command).toContain("verify=1,");
    expect(command).toContain("pf=ipv4,openssl-commonname=node2.example.com");
  });
  test("puts an IPv6 host in brackets", () => {
    expect(transferCommand({ ...setup, host: "2001:db8::1", family: 6 })).toContain(
      "OPENSSL:[2001:db8::1]:4000",
    );
  });
  test.each<[string, Partial<TransferSetup>]>([
    ["Comma not allowed", { host: "a,exec=sh" }],
    ["longer than 400", { ca: `/${"a".repeat(400)}` }],
    ["Magic contains invalid characters", { magic: "$(reboot)" }],
    ["Invalid compression", { compress: "gzip;reboot" }],
  ])("is refused: %s", (fault, change) => {
    expect(() => transferCommand({ ...setup, ...change })).toThrow(fault);
  });
});

test("no value of a transfer is a command to the shells that run it", () => {
  const context = aContext();
  const canary = join(context.root, "canary");
  const texts = [`x;touch ${canary};`, `$(touch ${canary})`, `\`touch ${canary}\``];
  texts.push(`x' ; touch ${canary} ; '`, `x\ntouch ${canary}\n`, `| touch ${canary} #`);
  const bin = join(context.root, "bin");
  for (const name of ["socat", "dd", "gzip"]) context.write(`bin/${name}`, "#!/bin/sh\n", 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  for (const text of texts) {
    const disk = {
      prefix: `dd if=${shellQuoted(text)} |`,
      suffix: `> ${shellQuoted(`${context.root}/out`)}`,
    };
    for (const mode of ["import", "export"] as const) {
      const hostile = { host: text, bind: text, key: text, cert: text, ca: text, ...disk };
      const command = transferCommand({ ...setup, ...hostile, mode });
      const stdio = ["ignore", "ignore", "ignore", "ignore", "ignore", "ignore"] as const;
      spawnSync("bash", ["-c", command], { env, stdio: [...stdio], cwd: context.root });
      expect(existsSync(canary), command).toBe(false);
    }
  }
});

test("lines of socat and dd become events", () => {
  const socat = (rest: string) => readSocatLine(`2026/11/22 10:00:00 socat[7] ${rest}`);
  expect([
    socat("N listening on AF=2 127.0.0.1:46605"),
    socat("N starting data transfer loop with FDs [5,5] and [1,1]"),
    socat("I nothing to see"),
    socat("E certificate verify failed"),
    readSocatLine("strange"),
  ]).toEqual([
    { kind: "listening", port: 46605 },
    { kind: "connected" },
    { kind: "nothing" },
    { kind: "message", text: "socat: E certificate verify failed" },
    { kind: "message", text: "socat: strange" },
  ]);
  const dd = (bytes: number, seconds: number) => ({ kind: "progress", bytes, seconds });
  expect(readDdLine("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s")).toEqual(
    dd(1048576, 0.5),
  );
  expect(readDdLine("1 byte copied, 3.2e-05 s, 31 kB/s")).toEqual(dd(1, 3.2e-5));
  expect(readDdLine("4+1 records in")).toEqual({ kind: "nothing" });
  expect(readDdLine("dd: no space")).toEqual({ kind: "message", text: "dd: dd: no space" });
});

test("progress is computed from the last twelve samples", () => {
  const meter = new ProgressMeter();
  const mib = 1024 ** 2;
  expect(meter.progress).toBeNull();
  meter.add(0, 0);
  expect(meter.progress).toMatchObject({ throughput: null, percent: null, etaSeconds: null });
  meter.expectedMib = 200;
  // The first sample is dropped, so that the throughput is 10 MiB/s.
  for (let time = 1; time <= 12; time++) meter.add(time * 1000, (50 + time * 10) * mib);
  expect(meter.progress).toEqual({ mebibytes: 170, throughput: 10, percent: 85, etaSeconds: 3 });
  meter.add(13_000, 210 * mib);
  expect(meter.progress).toMatchObject({ percent: 100, etaSeconds: 0 });
});

test("a description is read back as it was written", () => {
  const description = { export: { version: "0" }, instance: { name: "web", tags: "", a: "b = c" } };
  expect(readDescription(descriptionText(description))).toEqual(description);
  expect(() => descriptionText({ os: { name: "a\nb = c" } })).toThrow("Cannot write 'name'");
});

const hasSocat = spawnSync("socat", ["-V"]).status === 0;

describe.skipIf(!hasSocat)("transfers between two nodes [needs socat]", () => {
  let folder: MachineFolder;
  let program: string;
  beforeAll(async () => {
    program = compiledProgram("import-export");
    folder = await machineFolder();
  });
  afterAll(() => folder.remove());

  const node = (openDisks?: OpenDisks) => transferNode(folder, program, openDisks);

  test("carry a disk with equal checksums, and leave an export that is listed and described", async () => {
    const content = randomBytes(5 * 1024 ** 2);
    const sender = node(async () => [{ path: join(sender.context.root, "disk"), uri: null }]);
    writeFileSync(join(sender.context.root, "disk"), content);
    const receiver = node();
    const { into, out } = await send(sender, receiver);
    expect(await ended(sender, out)).toMatchObject({
      exitStatus: 0,
      progressMib: 5,
      progressPercent: 100,
    });
    expect(await ended(receiver, into)).toMatchObject({
      exitStatus: 0,
      connected: true,
      progressMib: 5,
    });
    await receiver.finalize_export({ instance, disks: [disk] }, noSignal);
    await receiver.finalize_export({ instance, disks: [disk] }, noSignal);
    expect(await receiver.export_list({}, noSignal)).toEqual([instance.name]);
    expect(await receiver.export_info({ path: instance.name }, noSignal)).toMatchObject({
      instance: { name: instance.name, disk0_dump: "uuid-disk" },
    });
    const dump = join(receiver.context.paths.exports, instance.name, "uuid-disk");
    const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
    expect(sum(readFileSync(dump))).toBe(sum(content));
    for (const [at, name] of [[sender, out] as const, [receiver, into] as const]) {
      await at.impexp_cleanup({ name }, noSignal);
      expect(await at.impexp_status({ names: [name] }, noSignal)).toEqual([null]);
    }
    await receiver.export_remove({ name: instance.name }, noSignal);
    expect(await receiver.export_list({}, noSignal)).toEqual([]);
  });

  test("fail at the receiver when the magic differs", async () => {
    const sender = node(async () => [{ path: join(sender.context.root, "disk"), uri: null }]);
    writeFileSync(join(sender.context.root, "disk"), "data");
    const receiver = node();
    const magic = "0".repeat(40);
    const { into } = await send(sender, receiver, { options: { ...options, magic } });
    const status = await ended(receiver, into);
    expect(status).toMatchObject({ exitStatus: 1, errorMessage: "Exited with status 1" });
    const logs = join(receiver.context.paths.log, "os");
    const [log = ""] = readdirSync(logs);
    expect(readFileSync(join(logs, log), "utf8")).toContain("Magic value mismatch");
  });

  test("between clusters verify name, certificate and key of the other end", async () => {
    const sender = node(async () => [{ path: join(sender.context.root, "disk"), uri: null }]);
    writeFileSync(join(sender.context.root, "disk"), "data");
    const receiver = node();
    const made = () =>
      Promise.all(
        [sender, receiver].map((one) => one.x509_cert_create({ validitySeconds: 60 }, noSignal)),
      );
    const [own, theirs] = (await made()) as [Key, Key];
    const [other] = (await made()) as [Key, Key];
    const at = (key: Key, { certPem }: Key) => ({ ...options, keyName: key.name, caPem: certPem });
    expect(new X509Certificate(theirs.certPem).checkHost("ganeti.example.com")).toBeDefined();

    const receiving = { options: at(theirs, own) };
    const right = await send(sender, receiver, { options: at(own, theirs) }, receiving);
    expect((await ended(sender, right.out)).exitStatus).toBe(0);
    expect((await ended(receiver, right.into)).exitStatus).toBe(0);
    expect(readFileSync(join(receiver.context.paths.exports, file.path), "utf8")).toBe("data");

    const short = { options: { ...receiving.options, connectTimeoutSeconds: 5 } };
    const failing = [at(other, theirs), at(own, other)].map(async (wrong) => {
      const { out, into } = await send(sender, receiver, { options: wrong }, short);
      return [(await ended(sender, out)).exitStatus, (await ended(receiver, into)).exitStatus];
    });
    expect(await Promise.all(failing)).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test("fail at both ends when there are no data", async () => {
    const sender = node(async () => [{ path: join(sender.context.root, "disk"), uri: null }]);
    writeFileSync(join(sender.context.root, "disk"), "");
    const receiver = node();
    const { into, out } = await send(sender, receiver);
    const nothing = { exitStatus: 1, errorMessage: "No data was transferred" };
    expect(await ended(sender, out)).toMatchObject(nothing);
    expect(await ended(receiver, into)).toMatchObject(nothing);
  });

  test("end when no peer connects in time", async () => {
    const receiver = node();
    const short = { ...options, connectTimeoutSeconds: 1 };
    const name = await receiver.import_start({ ...transfer, options: short, end: file }, noSignal);
    expect((await ended(receiver, name)).errorMessage).toBe(
      "Child process didn't establish connection in time (1s), sending SIGTERM",
    );
  });

  test("do not start for paths outside the export directory", async () => {
    const receiver = node();
    const { exports } = receiver.context.paths;
    mkdirSync(exports, { recursive: true });
    symlinkSync("/etc", join(exports, "link"));
    for (const path of ["/etc/passwd", "../x", "link/passwd", "a/../../x"]) {
      const call = receiver.import_start({ ...transfer, end: { kind: "file", path } }, noSignal);
      await expect(call, path).rejects.toThrow(/not under exports directory|not normalized/);
    }
  });

  test("refuse names that lead to other directories", async () => {
    const receiver = node();
    for (const name of ["../x", "import-/../../etc", ""]) {
      await expect(receiver.impexp_cleanup({ name }, noSignal)).rejects.toThrow("Invalid name");
    }
    await expect(receiver.export_remove({ name: ".." }, noSignal)).rejects.toThrow("not an export");
    await expect(receiver.x509_cert_remove({ name: "../x" }, noSignal)).rejects.toThrow("Invalid");
  });
});

test("an export directory that is missing, and a description without its sections, are reported", async () => {
  const context = aContext();
  const { export_list, export_info } = exportCalls(context);
  await expect(export_list({}, noSignal)).rejects.toThrow("No exports directory");
  context.write("var/lib/ganeti/export/web/config.ini", "[export]\nversion = 0\n");
  await expect(export_info({ path: "web" }, noSignal)).rejects.toThrow("required fields");
});
