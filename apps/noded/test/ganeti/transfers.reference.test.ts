// Transfers with keys made for them, as between clusters: Ganeti's node sends to ours, and ours to Ganeti's.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import {
  benchUnavailable,
  bringUp,
  type ReferenceBench,
  type ReferenceNode,
  replaceNodeDaemon,
} from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { called } from "./kvm-on-bench.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const built = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

interface Status {
  readonly listen_port?: number;
  readonly exit_status?: number | null;
  readonly error_message?: string;
}

describe.skipIf(problem !== undefined)("a transfer with keys of its own", () => {
  let bench: ReferenceBench;
  beforeAll(async () => {
    bench = await bringUp();
    const ours = bench.nodes[1] as ReferenceNode;
    const folder = join(ours.root, "usr/lib/ganeti");
    mkdirSync(folder, { recursive: true });
    const program = join(folder, "import-export");
    writeFileSync(
      program,
      `#!/bin/sh\nexec ${process.execPath} ${built("import-export.js")} "$@"\n`,
    );
    chmodSync(program, 0o755);
    await replaceNodeDaemon(bench, ours, built("ganeti-ts-noded.js"));
  });
  afterAll(() => bench?.down());

  test.each([
    { why: "Ganeti's node to ours", from: 0, to: 1 },
    { why: "our node to Ganeti's", from: 1, to: 0 },
  ])("carries data from $why", async ({ from, to }) => {
    const [sender, receiver] = [bench.nodes[from], bench.nodes[to]] as [
      ReferenceNode,
      ReferenceNode,
    ];
    const made = async (node: ReferenceNode) => {
      const key = await called(bench, node, "x509_cert_create", { validitySeconds: 600 });
      return key as readonly [name: string, certPem: string];
    };
    const [own, theirs] = [await made(sender), await made(receiver)];
    const inside = (node: ReferenceNode, path: string) =>
      join(node.insideRoot, "var/lib/ganeti/export", path);
    const content = randomBytes(3 * 1024 ** 2);
    const source = join(sender.dataFolder, "export/sent");
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, "disk0"), content);
    const options = {
      ...{ compress: "none", magic: "0123456789abcdef", ipv6: false, connectTimeoutSeconds: 60 },
    };
    const common = { instance: anInstance(), component: "disk0" };
    const into = await called(bench, receiver, "import_start", {
      ...common,
      end: { kind: "file", path: inside(receiver, "received/disk0") },
      options: { ...options, keyName: theirs[0], caPem: own[1] },
    });
    const status = async (node: ReferenceNode, name: unknown) =>
      ((await called(bench, node, "impexp_status", { names: [String(name)] })) as Status[])[0];
    await expect
      .poll(async () => (await status(receiver, into))?.listen_port, { timeout: 60_000 })
      .toBeTypeOf("number");
    const out = await called(bench, sender, "export_start", {
      ...common,
      end: { kind: "file", path: inside(sender, "sent/disk0") },
      options: { ...options, keyName: own[0], caPem: theirs[1] },
      host: receiver.address,
      port: (await status(receiver, into))?.listen_port ?? 0,
    });
    for (const [node, name] of [
      [sender, out],
      [receiver, into],
    ] as const) {
      const ended = async () => {
        const { exit_status = null, error_message } = (await status(node, name)) ?? {};
        return exit_status === null ? undefined : [exit_status, error_message];
      };
      await expect.poll(ended, { timeout: 60_000 }).toEqual([0, undefined]);
    }
    const received = join(receiver.dataFolder, "export/received/disk0");
    expect(readFileSync(received).equals(content)).toBe(true);
  });
});
