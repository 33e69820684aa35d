import { anInstance, aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { expect, test } from "vitest";
import { creation, nodesUnderTest } from "../test/nodes-under-test.js";
import { briskDurations, noDurations } from "./durations.js";
import { nodeStatesInMemory } from "./node-states.js";

const start = (instance = anInstance()) => ({ instance, startupPaused: false });
const kvm = { hypervisors: [{ name: "kvm", hvparams: {} }] };

test("an instance gets free memory up to its maximum, and does not start below its minimum", async () => {
  const { ask, answer } = await nodesUnderTest();
  const named = (name: string) =>
    anInstance({ name, beparams: { minmem: 1000, maxmem: 2000, vcpus: 1 } });
  await ask("A", "instance_start", start(named("one")));
  await ask("A", "instance_start", start(named("two")));
  const running = await ask("A", "all_instances_info", kvm);
  expect([running.one?.memoryMib, running.two?.memoryMib]).toEqual([2000, 1584]);
  expect(await answer("A", "instance_start", start(named("three")))).toMatchObject({
    message: expect.stringContaining("1000 MiB needed, 0 MiB free"),
  });
  const fake = anInstance({ name: "fake", hypervisor: "fake" });
  await ask("A", "instance_start", start(fake));
});

test("starting a running instance and stopping a stopped one have no effect", async () => {
  const { ask } = await nodesUnderTest();
  const stop = { instance: anInstance(), timeoutSeconds: 120 };
  await ask("A", "instance_shutdown", stop);
  await ask("A", "instance_start", start());
  await ask("A", "instance_start", start());
  expect(await ask("A", "instance_list", kvm)).toEqual(["web.example.com"]);
  await ask("A", "instance_shutdown", stop);
  expect(await ask("A", "instance_list", kvm)).toEqual([]);
});

test("an instance without its disks does not start", async () => {
  const { ask, answer } = await nodesUnderTest();
  const instance = anInstance({ disks: [aPlainDisk()] });
  expect(await answer("A", "instance_start", start(instance))).toMatchObject({
    message: "Block device '/dev/xenvg/data' is not set up.",
  });
  await ask("A", "blockdev_create", creation(aPlainDisk()));
  await ask("A", "instance_start", start(instance));
});

test("a running instance migrates in the time that its memory takes", async () => {
  const durations = { ...noDurations, migrationSpeed: 512 };
  const { ask, clock } = await nodesUnderTest({ durations });
  const instance = anInstance();
  await ask("A", "instance_start", start());
  const info = await ask("A", "migration_info", { instance });
  await ask("B", "accept_instance", { instance, info, target: "192.0.2.2" });
  const move = { instance, clusterName: "c", target: "192.0.2.2", live: true };
  await ask("A", "instance_migrate", move);
  await clock.pass(1000);
  expect(await ask("A", "instance_get_migration_status", { instance })).toEqual({
    status: "active",
    transferredMib: 512,
    totalMib: 1024,
  });
  await clock.pass(1000);
  expect(await ask("A", "instance_get_migration_status", { instance })).toMatchObject({
    status: "completed",
  });
  await ask("A", "instance_finalize_migration_src", { instance, success: true, live: true });
  await ask("B", "instance_finalize_migration_dst", { instance, info, success: true });
  expect(await ask("A", "instance_list", kvm)).toEqual([]);
  expect(await ask("B", "instance_list", kvm)).toEqual(["web.example.com"]);
});

test("a call takes time, and has no effect if the node dies meanwhile", async () => {
  const { answer, nodes, clock } = await nodesUnderTest({ durations: briskDurations });
  const starting = answer("A", "instance_start", start());
  await clock.pass(100);
  await nodes.powerOff("A");
  await clock.pass(200);
  expect(await starting).toEqual({
    ok: false,
    offline: false,
    message: "Error 7: Failed to connect to A.example.com port 1811: Connection refused",
  });
  expect(nodes.stateOf("A")?.instances).toEqual({});
});

test("a caller that stops waiting gets an answer, and the node completes the call", async () => {
  const { nodes, clock } = await nodesUnderTest({ durations: briskDurations });
  const giveUp = new AbortController();
  const call = nodes.call("A", "instance_start", start(), { lease: "1:1", signal: giveUp.signal });
  giveUp.abort();
  expect(await call).toMatchObject({ ok: false, message: "Call was given up" });
  await clock.pass(1000);
  expect(Object.keys(nodes.stateOf("A")?.instances ?? {})).toEqual(["web.example.com"]);
});

test.each([
  { kind: "refused", running: [], text: "instance_start: refused" },
  { kind: "lost before", running: [], text: "Error 28: Operation timed out (A.example.com)" },
  {
    kind: "lost after",
    running: ["web.example.com"],
    text: "Error 28: Operation timed out (A.example.com)",
  },
] as const)("a call that is $kind has had its effect or not", async ({ kind, running, text }) => {
  const { ask, answer, nodes } = await nodesUnderTest();
  nodes.fail({ kind, node: "A", call: "instance_start", times: 1 });
  await ask("B", "instance_start", start());
  expect(await answer("A", "instance_start", start())).toMatchObject({ ok: false, message: text });
  expect(await ask("A", "instance_list", kvm)).toEqual(running);
  await ask("A", "instance_start", start());
});

test("a fault can let calls pass first, and can be removed", async () => {
  const { answer, nodes } = await nodesUnderTest();
  const takeBack = nodes.fail({ kind: "refused", call: "vg_list", after: 1 });
  const outcomes: boolean[] = [];
  for (let time = 0; time < 3; time++) outcomes.push((await answer("A", "vg_list", {})).ok);
  takeBack();
  outcomes.push((await answer("A", "vg_list", {})).ok);
  expect(outcomes).toEqual([true, false, false, true]);
});

test("late calls of a fenced worker are refused, including those under way", async () => {
  const { ask, answer, clock, nodes } = await nodesUnderTest({
    durations: { ...noDurations, instanceStartMs: 100 },
  });
  const late = answer("A", "instance_start", start(), "1:1");
  await nodes.fence("A", ["1:1"], new AbortController().signal);
  await clock.pass(100);
  expect(await late).toMatchObject({ ok: false, message: "Lease 1:1 has ended" });
  expect(await ask("A", "instance_list", kvm, "2:1")).toEqual([]);
});

test("another simulation of the same nodes continues with their saved state", async () => {
  const states = nodeStatesInMemory();
  const before = await nodesUnderTest({ states });
  const shared = { uuid: "r", dev_type: "rbd" as const, logical_id: ["rbd", "image"], size: 100 };
  await before.ask("A", "instance_start", start());
  await before.ask("B", "blockdev_create", creation(aPlainDisk()));
  await before.ask("B", "blockdev_create", creation(shared));
  await before.nodes.powerOff("C");
  const after = await nodesUnderTest({ states });
  expect(after.nodes.stateOf("A")).toEqual(before.nodes.stateOf("A"));
  expect(await after.ask("A", "instance_list", kvm)).toEqual(["web.example.com"]);
  expect(await after.ask("B", "blockdev_find", { disk: aPlainDisk() })).not.toBeNull();
  expect(await after.ask("A", "blockdev_find", { disk: shared })).not.toBeNull();
  expect(await after.answer("C", "vg_list", {})).toMatchObject({ ok: false });
});

test("a saved state that cannot be read fails the calls to its node alone, with its name", async () => {
  const states = nodeStatesInMemory();
  await nodesUnderTest({ states });
  await states.save(new Map([["A.example.com", '{"name":']]));
  const { answer, ask } = await nodesUnderTest({ states });
  expect(await answer("A", "instance_list", kvm)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^The state of the node A\.example\.com: .*JSON/),
  });
  expect(await ask("B", "instance_list", kvm)).toEqual([]);
});

test("only changed states are saved again", async () => {
  const saved: string[][] = [];
  const states = nodeStatesInMemory();
  const { ask } = await nodesUnderTest({
    states: {
      load: states.load,
      save: (changed) => {
        saved.push([...changed.keys()]);
        return states.save(changed);
      },
    },
  });
  saved.length = 0;
  await ask("A", "instance_list", kvm);
  await ask("A", "instance_start", start());
  await ask("B", "vg_list", {});
  expect(saved).toEqual([["A.example.com"]]);
});

test("a booted node has lost running instances and kept stored data", async () => {
  const { ask, nodes } = await nodesUnderTest();
  const look = { storage: [], hypervisors: [] };
  const first = await ask("A", "node_info", look);
  await ask("A", "blockdev_create", creation(aPlainDisk()));
  await ask("A", "instance_start", start());
  expect(await ask("A", "node_powercycle", { name: "kvm", hvparams: {} })).toBe(
    "Reboot scheduled in 5 seconds",
  );
  expect((await ask("A", "node_info", look)).bootId).not.toBe(first.bootId);
  expect(await ask("A", "instance_list", kvm)).toEqual([]);
  expect(Object.keys(nodes.stateOf("A")?.volumeGroups.xenvg?.volumes ?? {})).toEqual(["data"]);
});

test("nodes switch each other off and on", async () => {
  const { ask, answer } = await nodesUnderTest();
  const oob = (command: "power-off" | "power-status" | "power-on") => ({
    program: "/usr/bin/oob",
    command,
    node: "B.example.com",
    timeoutSeconds: 60,
  });
  await ask("A", "run_oob", oob("power-off"));
  expect(await answer("B", "vg_list", {})).toMatchObject({ ok: false });
  expect(await ask("A", "run_oob", oob("power-status"))).toEqual({ powered: false });
  await ask("A", "run_oob", oob("power-on"));
  expect(await ask("B", "vg_list", {})).toEqual({ xenvg: 10000 });
});

test.each(["oob", "./oob", "bin/oob", "~/oob", ""])(
  "the out-of-band program %j is refused, as by a node",
  async (program) => {
    const { answer } = await nodesUnderTest();
    const oob = {
      program,
      command: "power-off",
      node: "B.example.com",
      timeoutSeconds: 60,
    } as const;
    const message = `'${program}' is not an absolute path`;
    expect(await answer("A", "run_oob", oob)).toMatchObject({ ok: false, message });
    expect(await answer("B", "vg_list", {})).toMatchObject({ ok: true });
  },
);

test.each([
  ["ftp://example.com/disk.img", 1, "Cannot download 'ftp://example.com/disk.img': only http"],
  ["ftps://example.com/disk.img", 1, "Cannot download 'ftps://example.com/disk.img': only http"],
  ["disk.img", 1, "Image 'disk.img' not found"],
  ["file:///disk.img", 1, "Image 'file:///disk.img' not found"],
  ["http://example.com/disk.img", 1_000_000, "Image size is bigger than device size"],
  ["/srv/disk.img", -1, "Negative size"],
  ["http://example.com/disk.img", 1, undefined],
])("the image %s of %i MiB is refused as by a node: %s", async (image, sizeMib, message) => {
  const { ask, answer } = await nodesUnderTest();
  const disk = aPlainDisk();
  await ask("A", "blockdev_create", creation(disk));
  const given = await answer("A", "blockdev_image", { disk, image, sizeMib });
  if (message === undefined) expect(given).toMatchObject({ ok: true });
  else expect(given).toMatchObject({ ok: false, message: expect.stringContaining(message) });
});

test("a call to an unknown node, or to one without a machine, is answered with a failure", async () => {
  const { answer, nodes } = await nodesUnderTest();
  expect(await answer("X", "vg_list", {})).toMatchObject({ message: "Unknown node X" });
  const address = { primaryIp: "192.0.2.9", secondaryIp: "192.0.2.9" };
  await nodes.introduce({ uuid: "X", name: "x.example.com", ...address });
  expect(await answer("X", "vg_list", {})).toMatchObject({
    message: "Error 6: Could not resolve host: x.example.com",
  });
  await nodes.addHost({ name: "x.example.com" });
  expect(await answer("X", "vg_list", {})).toMatchObject({ ok: true });
});

test("a node has the addresses of its introduction and those it takes over", async () => {
  const { nodes, ask } = await nodesUnderTest({
    takesAddress: (name, address) => name === "A.example.com" && address === "198.51.100.1",
  });
  const secondaryIp = "198.51.100.7";
  await nodes.introduce({ uuid: "B", name: "B.example.com", primaryIp: "192.0.2.2", secondaryIp });
  const has = (node: string, address: string) => ask(node, "node_has_ip_address", { address });
  expect(await has("A", "192.0.2.1")).toBe(true);
  expect(await has("A", "198.51.100.1")).toBe(true);
  expect(await has("A", secondaryIp)).toBe(false);
  expect(await has("B", secondaryIp)).toBe(true);
  expect(await has("B", "198.51.100.1")).toBe(false);
});

test("a node introduced under another name keeps its machine, which is saved under the new name", async () => {
  const states = nodeStatesInMemory();
  const { ask, nodes } = await nodesUnderTest({ states });
  await ask("A", "blockdev_create", creation(aPlainDisk()));
  await ask("A", "instance_start", start());
  const ip = "192.0.2.1";
  const named = (name: string) => ({ uuid: "A", name, primaryIp: ip, secondaryIp: ip });
  await Promise.all([1, 2].map(() => nodes.introduce(named("new.example.com"))));
  expect(await ask("A", "instance_list", kvm)).toEqual(["web.example.com"]);
  const kept = await states.load();
  const machine = (name: string) => kept.hosts.get(name)?.();
  expect(Object.keys(machine("new.example.com")?.instances ?? {})).toEqual(["web.example.com"]);
  expect(machine("new.example.com")?.volumeGroups.xenvg?.volumes).toHaveProperty("data");
  expect(machine("A.example.com")).toMatchObject({ instances: {}, boots: 1 });
});

test("a node has the certificate that it was made with until it is renewed, whatever else it signs", async () => {
  const certificateDigest = "9A:6C";
  const hosts = ["A", "B", "C"].map((name) => ({ name: `${name}.example.com`, certificateDigest }));
  const { ask, nodes } = await nodesUnderTest({ hosts });
  const digest = async () => (await ask("A", "node_crypto_tokens", {})).digest;
  await ask("A", "x509_cert_create", { validitySeconds: 60 });
  expect(await digest()).toBe(certificateDigest);
  const verified = await ask("A", "node_verify", { clusterName: "c", clientCertificate: true });
  expect(verified.clientCertificate).toEqual({ severity: null, text: certificateDigest });
  await nodes.masterHost(() => "A").renewNodeCertificate("A");
  const renewed = await digest();
  expect(renewed).not.toBe(certificateDigest);
  await ask("A", "x509_cert_create", { validitySeconds: 60 });
  expect(await digest()).toBe(renewed);
});
