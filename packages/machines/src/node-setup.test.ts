// Parts of the setup of nodes: certificates, archives, requirements.

import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiskTemplate } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { MachineError } from "./machine-error.js";
import type { Machine } from "./machine-way.js";
import { nodeProgramFiles } from "./node-program.js";
import { digestOf, newClusterPem, newNodePem } from "./pem.js";
import { checkRequirements, factsOf, requirementsOf } from "./requirements.js";
import { tarArchive } from "./tar-archive.js";

const now = Date.UTC(2026, 10, 22);

test("the certificate of a node is signed with the key of its cluster, and both last five years", async () => {
  const clusterPem = await newClusterPem(now);
  const nodePem = await newNodePem(clusterPem, "node1.example.com", now);
  const [cluster, node] = [new X509Certificate(clusterPem), new X509Certificate(nodePem)];
  expect(cluster.subject).toBe("CN=ganeti.example.com");
  expect([node.subject, node.issuer]).toEqual(["CN=node1.example.com", cluster.subject]);
  expect(node.verify(cluster.publicKey)).toBe(true);
  expect(cluster.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  for (const { validFrom, validTo } of [cluster, node]) {
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(1825 * 86_400_000);
  }
  expect(digestOf(nodePem)).toMatch(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
  expect(nodePem).toContain("PRIVATE KEY");
});

test("the daemon is started with the Node.js options in its first line", () => {
  const folder = mkdtempSync(join(tmpdir(), "noded-"));
  try {
    writeFileSync(
      join(folder, "ganeti-ts-noded.js"),
      "#!/usr/bin/env -S node --max-semi-space-size=1 --no-warnings\ncode();\n",
    );
    const files = nodeProgramFiles({
      ...{ folder, nodeName: "node1.example.com", withNode: false, hasSystemd: false },
    });
    const starter = files.find(({ path }) => path === "usr/lib/ganeti-ts/ganeti-ts-noded");
    expect(starter?.content).toContain(
      'exec "$node" --max-semi-space-size=1 --no-warnings /usr/lib/ganeti-ts/noded/ganeti-ts-noded.js ',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("scripts of the daemon are executable on a node, whatever modes its package was installed with", () => {
  const folder = mkdtempSync(join(tmpdir(), "noded-"));
  try {
    const texts = {
      "ganeti-ts-noded.js": "#!/usr/bin/env node\n",
      create: "#!/bin/sh\n",
      list: "a\n",
    };
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(folder, name), text, { mode: name === "list" ? 0o755 : 0o644 });
    }
    const files = nodeProgramFiles({
      ...{ folder, nodeName: "node1.example.com", withNode: false, hasSystemd: false },
    });
    const copied = files.filter(({ path }) => path.startsWith("usr/lib/ganeti-ts/noded/"));
    const modes = copied.map(({ path, mode }) => [path.replace(/.*\//, ""), mode]);
    expect(Object.fromEntries(modes)).toEqual({
      ...{ "ganeti-ts-noded.js": 0o755, create: 0o755 },
      list: 0o644,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an archive can be unpacked by tar, with contents and modes", () => {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  try {
    const long = "a".repeat(1500);
    const archive = tarArchive(
      [
        { path: "var/secret.pem", content: long, mode: 0o400 },
        { path: "usr/program", content: Uint8Array.of(1, 2, 0, 255), mode: 0o755 },
        { path: "empty", content: "", mode: 0o644 },
      ],
      now,
    );
    execFileSync("tar", ["-x", "-p", "-C", folder, "-f", "-"], { input: archive });
    expect(readFileSync(join(folder, "var/secret.pem"), "utf8")).toBe(long);
    expect([...readFileSync(join(folder, "usr/program"))]).toEqual([1, 2, 0, 255]);
    const modes = ["var/secret.pem", "usr/program", "empty"].map(
      (name) => statSync(join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o400, 0o755, 0o644]);
    expect(readFileSync(join(folder, "empty")).length).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const machine = (stdout: string): Machine => ({
  name: "node2",
  run: async () => ({ code: 0, stdout, stderr: "" }),
});

test("missing programs are reported with one apt line that contains each package once", async () => {
  const wanted = requirementsOf({ disk_templates: ["drbd"], setsUpSsh: true });
  const facts = await factsOf(
    machine("architecture x86_64\nmissing drbdsetup\nmissing drbdmeta\nmissing lvs\n"),
    wanted,
  );
  expect(() => checkRequirements(facts, wanted, "node2")).toThrow(
    new MachineError(
      "node2 lacks drbdsetup, drbdmeta, lvs; nothing has been changed. Install them with:\n" +
        "  apt-get install drbd-utils lvm2",
    ),
  );
});

test("the features of a cluster determine the requirements of a machine", () => {
  const names = (templates: readonly DiskTemplate[], setsUpSsh: boolean) =>
    Object.keys(requirementsOf({ hypervisors: ["fake"], disk_templates: templates, setsUpSsh }));
  expect(names(["file"], false)).not.toContain("lvs");
  expect(names(["file"], false)).not.toContain("qemu-system-x86_64");
  expect(names(["plain"], true)).toEqual(expect.arrayContaining(["lvs", "sshd"]));
  expect(Object.keys(requirementsOf({ setsUpSsh: false }))).toContain("drbdsetup");
});

test("facts of a machine are parsed from the output of a script", async () => {
  const printed =
    "architecture aarch64\nnode /usr/bin/node\ncluster old.example.com\nclusterDigest ab12\nsystemd yes\n" +
    "hostKey ssh-rsa AAAA\nhostKey ssh-ed25519 BBBB\n";
  expect(await factsOf(machine(printed), {})).toEqual({
    ...{ missing: [], architecture: "aarch64", node: "/usr/bin/node", hasSystemd: true },
    ...{ cluster: "old.example.com", clusterDigest: "ab12" },
    ...{ hostKeys: ["ssh-rsa AAAA", "ssh-ed25519 BBBB"] },
  });
});
