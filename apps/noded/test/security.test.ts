// Attacks on the daemon over the network, by strangers and through the arguments of calls. docs/security.md lists them.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";
import type { DiskOnNode, NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import type { NodeRpcServer } from "@ganeti-ts/node-rpc";
import { isThorough } from "@ganeti-ts/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../src/daemon/serve.js";
import { type Command, commandText, type Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";
import { finished } from "./a-context.js";
import { compiledProgram } from "./compiled-program.js";
import { hostileArguments } from "./hostile-arguments.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";
import { nodeClient } from "./node-client.js";
import { hurryingClock } from "./scripted-machine.js";

const caller = { lease: "1:1", signal: new AbortController().signal };

/** Programs that are really run: those that interpret their arguments, and those that the daemon needs. */
const run = new Set(["bash", "sh", "flock", "gzip"]);
/** Calls that are skipped, because they end the daemon or delay each refusal by ten seconds. */
const leftOut: ReadonlySet<string> = new Set([
  ...["node_leave_cluster", "node_powercycle", "restricted_command", "test_delay"],
  // Each of these starts a process; their pipelines have their own test.
  ...["import_start", "export_start"],
]);
const secret = "s3cret-of-the-test";

describe("an attack on the daemon", () => {
  let folder: MachineFolder;
  let server: NodeRpcServer;
  const commands: Command[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    folder = await machineFolder();
    const allowed = join(folder.root, "disks");
    mkdirSync(allowed);
    mkdirSync(join(folder.root, "usr/lib/ganeti"), { recursive: true });
    const program = join(folder.root, "usr/lib/ganeti/import-export");
    writeFileSync(program, `#!/bin/sh\nexec ${compiledProgram("import-export")} "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder.root, "etc/ganeti/file-storage-paths"), `${allowed}\n`);
    const note = (line: string): void => void logged.push(line);
    const log = { debug: note, info: note, warn: note, error: note };
    const options = { address: "127.0.0.1", port: 0, nodeName: "node1.example.com", isDebug: true };
    server = await serve({ ...options, root: folder.root }, log, {
      run: guarded(note),
      clock: hurryingClock(),
    });
  });
  afterAll(async () => {
    await server.close();
    folder.remove();
  });

  /** A runner that runs programs which interpret their arguments, and records every command line. */
  function guarded(note: (line: string) => void): Runner {
    const real = systemRunner(note);
    return {
      async run(command) {
        commands.push(command);
        if (run.has(command.program)) return real.run(command);
        note(`RunCmd ${commandText(command)}`);
        // The arguments reach a process, but not the actual program.
        await real.run({ program: "true", args: command.args });
        return finished(command, { code: 1, stderr: "refused" });
      },
      detach(command) {
        commands.push(command);
        return real.detach(command);
      },
    };
  }

  const clientWith = (pem: string) => nodeClient(folder.server, pem, server.port);

  /** Status of a plain request; null if the connection ends without an answer. */
  const bare = (path: string, tls: { cert?: string; key?: string }): Promise<number | null> =>
    new Promise((resolve) => {
      const to = { host: "127.0.0.1", port: server.port, rejectUnauthorized: false };
      const sent = request({ ...to, ...tls, path, method: "POST" }, (response) => {
        response.resume();
        resolve(response.statusCode ?? null);
      });
      sent.on("error", () => resolve(null));
      sent.end("[]");
    });

  test("without a certificate, with a stranger's, or with the cluster's own ends without an answer", async () => {
    expect(await bare("/version", {})).toBeNull();
    for (const pem of [folder.stranger, folder.server]) {
      expect(await bare("/version", { cert: pem, key: pem })).toBeNull();
    }
    const pem = folder.client;
    expect(await bare("/version", { cert: pem, key: pem })).toBe(200);
    expect(await bare("/constructor", { cert: pem, key: pem })).toBe(404);
  });

  test("by a candidate that has been taken off the list is refused at its next call", async () => {
    const client = await clientWith(folder.client);
    expect(await client.call("uuid-1", "version", {}, caller)).toMatchObject({ ok: true });
    const path = join(folder.root, "var/lib/ganeti/ssconf_master_candidates_certs");
    const before = readFileSync(path, "utf8");
    chmodSync(path, 0o644);
    try {
      writeFileSync(path, "");
      expect(await client.call("uuid-1", "version", {}, caller)).toMatchObject({ ok: false });
    } finally {
      writeFileSync(path, before);
    }
    expect(await client.call("uuid-1", "version", {}, caller)).toMatchObject({ ok: true });
  });

  test.each([
    ...["/etc/passwd", "/etc/shadow", "/etc/cron.d/x", `${homedir()}/.ssh/authorized_keys`],
    ...["/var/lib/ganeti/server.pem", "/var/lib/ganeti/ssconf_master_node", "config.data"],
    ...["/var/lib/ganeti/../../../etc/passwd", "/var/lib/ganeti/./config.data", ""],
    ...["/var/lib/ganeti//config.data", "/var/lib/ganeti/config.data/", "/etc/hosts\0"],
    "/###-VIRTUAL-PATH-###,/etc/passwd",
  ])("by an upload to %j is refused", async (path) => {
    const client = await clientWith(folder.client);
    const upload = {
      ...{ path, content: "x", mode: 0o777, owner: "root", group: "root" },
      ...{ accessedAt: 0, modifiedAt: 0 },
    };
    const answer = await client.call("uuid-1", "upload_file_single", upload as never, caller);
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).toMatch(/not absolute|not in allowed upload targets/);
    expect(existsSync(join(folder.root, "etc/passwd"))).toBe(false);
  });

  test.each([
    "/etc/disk",
    "/dev/sda",
    "ROOT/disks/../secret",
    "ROOT/diskssecret",
    "ROOT/disks",
    "relative/disk",
    "/proc/sysrq-trigger",
  ])("by a disk in the file %s is refused", async (path) => {
    const client = await clientWith(folder.client);
    const logical_id = ["loop", path.replace("ROOT", folder.root)] as const;
    const disk: DiskOnNode = { ...aPlainDisk(), dev_type: "file", logical_id, size: 1 };
    const create = { ...{ disk, sizeMib: 1, owner: "web" }, onPrimary: true, info: "" };
    const assemble = { disk, instance: anInstance(), asPrimary: true, index: 0 };
    for (const answer of [
      await client.call(
        "uuid-1",
        "blockdev_create",
        { ...create, exclusiveStorage: false },
        caller,
      ),
      await client.call("uuid-1", "blockdev_remove", { disk }, caller),
      await client.call("uuid-1", "blockdev_assemble", assemble, caller),
    ]) {
      expect(JSON.stringify(answer)).toMatch(/not acceptable|not allowed|forbidden|not absolute/);
    }
    expect(existsSync(join(folder.root, "secret"))).toBe(false);
    expect(readdirSync(join(folder.root, "disks"))).toEqual([]);
  });

  /** Texts that are valid for a field. */
  const benign: Readonly<Record<string, string>> = {
    ...{ hypervisor: "fake", dev_type: "file", magic: "0".repeat(40), compress: "gzip" },
    ...{ component: "disk0", os: "noop", owner: "root", group: "root", ip: "192.0.2.1" },
    ...{ host: "127.0.0.1", target: "127.0.0.1", kind: "file", uuid: "uuid-web" },
  };
  const calls = (Object.keys(nodeCalls) as NodeCallName[]).filter((name) => !leftOut.has(name));

  /** Index of the next hostile text, which rotates over the fields of all calls. */
  let turn = 0;

  /**
   * Arguments of the call: each hostile text in all fields at once, and hostile texts in a single field while the others have
   * harmless values, with one text per field or all of them.
   */
  function attacks(name: NodeCallName, texts: readonly string[]): readonly unknown[] {
    const fields = new Set<string>();
    const made = texts.map((text) =>
      hostileArguments(
        name,
        (field) => {
          fields.add(field);
          return text;
        },
        0,
      ),
    );
    for (const one of fields) {
      const chosen = isThorough ? texts : [texts[turn++ % texts.length] as string];
      for (const text of chosen) {
        const other = (field: string) =>
          field === one ? text : (benign[field] ?? "web.example.com");
        made.push(hostileArguments(name, other, 0));
      }
    }
    return made.filter((args) => catalogEntry(name).arguments.safeParse(args).success);
  }

  test("through any text of any call runs no command and writes no file in another place", async () => {
    const canary = join(folder.root, "canary");
    const texts = [
      `x;touch ${canary};$(touch ${canary})`,
      `x';touch ${canary};'`,
      `-oProxyCommand=touch ${canary}`,
      ...[3, 4, 5].map((count) => `${"../".repeat(count)}canary`),
    ].filter((_, at) => isThorough || at % 2 === 0);
    const client = await clientWith(folder.client);
    const answered = new Set<string>();
    for (const name of calls) {
      for (const args of attacks(name, texts)) {
        await client.call("uuid-1", name, args as never, caller);
        answered.add(name);
      }
      expect(existsSync(canary), name).toBe(false);
    }
    // Most calls have a text argument; the others cannot be attacked in this way.
    expect(answered.size).toBeGreaterThan(60);
    expect(commands.length).toBeGreaterThan(25);
    expect(readdirSync(folder.root).toSorted()).toEqual(["disks", "etc", "usr", "var"]);
  });

  test("finds no secret in command lines or logs", async () => {
    const client = await clientWith(folder.client);
    const instance = anInstance({
      osparams: { public: "shown" },
      osparams_private: { password: secret },
      osparams_secret: { key: secret },
    } as never);
    const upload = {
      ...{ path: "/var/lib/ganeti/rapi/users", content: `root ${secret} write\n`, mode: 0o640 },
      ...{ owner: "root", group: "root", accessedAt: 0, modifiedAt: 0 },
    };
    mkdirSync(join(folder.root, "var/lib/ganeti/rapi"), { recursive: true });
    const start = { instance, startupPaused: false, reason: [] };
    await client.call("uuid-1", "upload_file_single", upload, caller);
    await client.call(
      "uuid-1",
      "instance_os_add",
      { instance, reinstall: false, debugLevel: 0 },
      caller,
    );
    await client.call(
      "uuid-1",
      "os_export",
      { instance, environment: { OSP_SECRET: secret } },
      caller,
    );
    await client.call("uuid-1", "instance_start", start, caller);
    expect(readFileSync(join(folder.root, "var/lib/ganeti/rapi/users"), "utf8")).toContain(secret);
    expect(logged.filter((line) => line.includes(secret))).toEqual([]);
    const words = commands.map(({ program, args }) => [program, ...args].join(" "));
    expect(words.filter((line) => line.includes(secret))).toEqual([]);
  });
});
