import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import { creation, type NodesUnderTest, nodesUnderTest } from "../test/nodes-under-test.js";
import { noDurations } from "./durations.js";

const options = {
  compress: "none",
  magic: "m",
  keyName: null,
  caPem: null,
  ipv6: false,
  connectTimeoutSeconds: 60,
};
const instance = anInstance();
const disk = aPlainDisk();
const file = { kind: "file" as const, path: "web.example.com.new/disk0.snap" };

/** Transfers a disk on A to a file on B; returns the names of both transfers. */
async function transfer({ ask }: NodesUnderTest, magic = "m") {
  await ask("A", "blockdev_create", creation(disk));
  const common = { instance, component: "disk0" };
  const importName = await ask("B", "import_start", { ...common, end: file, options });
  const [listening] = await ask("B", "impexp_status", { names: [importName] });
  const exportName = await ask("A", "export_start", {
    ...common,
    end: { kind: "raw-disk", disk },
    options: { ...options, magic },
    host: "192.0.2.2",
    port: listening?.listenPort ?? 0,
  });
  return { importName, exportName };
}

test("a disk is exported at copy speed, and the export exists once it is finalized", async () => {
  const under = await nodesUnderTest({ durations: { ...noDurations, copySpeed: 512 } });
  const { importName, exportName } = await transfer(under);
  await under.clock.pass(1000);
  const [half] = await under.ask("A", "impexp_status", { names: [exportName] });
  expect(half).toMatchObject({ connected: true, progressMib: 512, exitStatus: null });
  await under.clock.pass(1000);
  for (const [node, name] of [
    ["A", exportName],
    ["B", importName],
  ] as const) {
    const [whole] = await under.ask(node, "impexp_status", { names: [name] });
    expect(whole).toMatchObject({ progressPercent: 100, exitStatus: 0 });
    await under.ask(node, "impexp_cleanup", { name });
  }
  const finish = { instance, disks: [disk] };
  await under.ask("B", "finalize_export", finish);
  await under.ask("B", "finalize_export", finish);
  expect(await under.ask("B", "export_list", {})).toEqual(["web.example.com"]);
  const path = "/var/lib/ganeti/export/web.example.com";
  expect(await under.ask("B", "export_info", { path })).toMatchObject({
    export: { version: "0", os: "noop+default" },
    instance: { name: "web.example.com", disk0_dump: disk.uuid, disk_count: "1" },
  });
  expect(under.nodes.stateOf("B")?.exports["web.example.com"]?.files).toEqual({
    "disk0.snap": 1024,
  });
  await under.ask("B", "export_remove", { name: "web.example.com" });
  expect(await under.answer("B", "export_info", { path })).toMatchObject({ ok: false });
});

test("a transfer to a wrong port, or without room at the target, fails on both sides", async () => {
  const wrong = await nodesUnderTest();
  const { exportName } = await transfer(wrong, "another");
  const [refused] = await wrong.ask("A", "impexp_status", { names: [exportName] });
  expect(refused).toMatchObject({ exitStatus: 1, connected: false });

  const full = await nodesUnderTest();
  await full.nodes.fillDisk("B", undefined, 100);
  const names = await transfer(full);
  const [atImport] = await full.ask("B", "impexp_status", { names: [names.importName] });
  expect(atImport).toMatchObject({ exitStatus: 1 });
});

test("transfers that were cleaned up are unknown", async () => {
  const { ask } = await nodesUnderTest();
  expect(await ask("A", "impexp_status", { names: ["none"] })).toEqual([null]);
});

test("a certificate for a transfer leaves the node's own certificate unchanged", async () => {
  const { ask } = await nodesUnderTest();
  const before = await ask("A", "node_crypto_tokens", {});
  const one = await ask("A", "x509_cert_create", { validitySeconds: 60 });
  const other = await ask("A", "x509_cert_create", { validitySeconds: 60 });
  expect(one.name).not.toBe(other.name);
  expect(await ask("A", "node_crypto_tokens", {})).toEqual(before);
});
