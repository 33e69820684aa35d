// Debian's own programs on our server's LUXI socket while its nodes are those of Ganeti.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test, vi } from "vitest";
import { asking, dataFolder, measured, onOurs, results, running } from "./debian-programs.js";
import { ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Commands that ask nodes by a job. */
const askingByJob = [
  "gnt-os list",
  "gnt-os diagnose",
  "gnt-node volumes",
  "gnt-node list-storage --storage-type=lvm-vg -o node,name,size,used,free",
];

/** Commands that change something on nodes. */
const changing = [
  "gnt-instance shutdown inst1.example.com",
  "gnt-instance startup inst1.example.com",
  "gnt-instance migrate -f inst8.example.com",
  "gnt-instance reboot --type=hard inst8.example.com",
  "gnt-instance grow-disk inst7.example.com 0 16M",
  "gnt-instance remove -f inst3.example.com",
  "gnt-cluster verify-disks",
];

async function comparedWithOriginal(bench: ReferenceBench): Promise<void> {
  const questions = [...asking, ...askingByJob];
  const original = await results(running(bench, {}), questions);
  const balancing = measured(await running(bench, {})("hbal -L -G default --print-nodes"));
  const data = dataFolder();
  const server = await ownServer(bench, data);
  try {
    const run = onOurs(bench, data);
    expect(await results(run, questions)).toEqual(original);
    expect(measured(await run("hbal -L -G default --print-nodes"))).toEqual(balancing);
    expect(balancing).toMatchObject({ status: 0 });
    const succeeded = changing.map((command) => [command, { status: 0 }] as const);
    expect(await results(run, changing)).toMatchObject(Object.fromEntries(succeeded));
    const list = "gnt-instance list --no-headers --separator=| -o name,pnode,status,disk.sizes";
    expect((await run(list)).stdout.split("\n")).toEqual([
      "inst1.example.com|node1.example.com|running|",
      "inst2.example.com|node1.example.com|running|",
      "inst4.example.com|node3.example.com|running|",
      "inst5.example.com|node2.example.com|ADMIN_down|",
      // A reservation.
      "inst6.example.com|node2.example.com|ADMIN_down|16",
      "inst7.example.com|node1.example.com|running|144",
      "inst8.example.com|node2.example.com|running|128",
      "",
    ]);
  } finally {
    await server.stop();
  }
}

async function restartedByWatcher(bench: ReferenceBench): Promise<void> {
  const data = dataFolder();
  const server = await ownServer(bench, data, ["--watcher=10"]);
  try {
    const process = join(bench.master.root, "var/run/ganeti/fake-hypervisor/inst1.example.com");
    rmSync(process);
    await vi.waitUntil(() => existsSync(process), { timeout: 600_000, interval: 100 });
    const run = onOurs(bench, data);
    const list = "gnt-instance list --no-headers -o status inst1.example.com";
    await vi.waitUntil(async () => (await run(list)).stdout === "running\n", { timeout: 600_000 });
    const jobs = await run("gnt-job list --no-headers -o summary");
    expect(jobs.stdout).toContain("INSTANCE_STARTUP(inst1.example.com)");
  } finally {
    await server.stop();
  }
}

const suite = describe.skipIf(problem !== undefined);

suite("Debian's programs on our server with nodes of Ganeti", () => {
  test("print what they print on Ganeti's own master", () =>
    withReferenceCluster({ storage: true }, comparedWithOriginal));
});

suite("The watcher of our server", () => {
  test("starts an instance again that has ended on a node of Ganeti", () =>
    withReferenceCluster({}, restartedByWatcher));
});
