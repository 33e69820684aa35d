// Debian's own programs on our server's LUXI socket while its nodes are those of Ganeti.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  benchUnavailable,
  type Outcome,
  type ReferenceBench,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { describe, expect, test, vi } from "vitest";
import { virtualRoot } from "../../src/program/virtual-root.js";
import { ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Commands that ask, most of them nodes. Memory and load of the machine are left out. */
const asking = [
  "gnt-cluster getmaster",
  "gnt-cluster list-tags",
  "gnt-instance list --no-headers --separator=| -o name,uuid,pnode,snodes,admin_state,disk_template,tags,be/maxmem",
  "gnt-instance list -o name,status,oper_state,oper_ram,oper_vcpus",
  "gnt-instance list -o name,disk_usage,nic.ips,nic.macs,network_port",
  "gnt-instance console --show-cmd inst1.example.com",
  "gnt-node list -o name,pip,role,group,pinst_cnt,sinst_cnt,pinst_list,tags",
  "gnt-node list -o name,ctotal,cnodes,bootid",
  "gnt-node volumes",
  "gnt-node list-storage --storage-type=lvm-vg -o node,name,size,used,free",
  "gnt-os list",
  "gnt-os diagnose",
  "gnt-group list",
  "gnt-network list",
  "gnt-filter list",
  "gnt-backup list",
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

type Run = (command: string) => Promise<Outcome>;

const running =
  (bench: ReferenceBench, environment: Readonly<Record<string, string>>): Run =>
  (command) => {
    const [program = "", ...args] = command.split(" ");
    return bench.attempt(program, args, { environment: { COLUMNS: "200", ...environment } });
  };

/** Runs Debian's programs on the LUXI socket of the server with this data folder. */
function onOurs(bench: ReferenceBench, data: string): Run {
  const { path, hostName } = virtualRoot(data, bench.master.name);
  return running(bench, { GANETI_ROOTDIR: path, GANETI_HOSTNAME: hostName });
}

async function results(run: Run, commands: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const command of commands) {
    const { status, stdout, stderr } = await run(command);
    const lines = `${stdout}${stderr}`.split("\n");
    // Storage is listed in the order in which nodes answer.
    if (command.startsWith("gnt-node list-storage")) lines.sort();
    found[command] = { status, lines };
  }
  return found;
}

/** The output without figures of the machine, which differ from moment to moment. */
const measured = ({ status, stdout, stderr }: Outcome) => ({
  status,
  lines: `${stdout}${stderr}`
    .replaceAll(/-?\d+(\.\d+)?(?=[\s,])/g, "#")
    .replaceAll(/ +#/g, " #")
    .split("\n"),
});

/** Short: paths of sockets are limited. */
const dataFolder = () => mkdtempSync("/tmp/gl-");

async function comparedWithOriginal(bench: ReferenceBench): Promise<void> {
  const original = await results(running(bench, {}), asking);
  const balancing = measured(await running(bench, {})("hbal -L -G default --print-nodes"));
  const data = dataFolder();
  const server = await ownServer(bench, data);
  try {
    const run = onOurs(bench, data);
    expect(await results(run, asking)).toEqual(original);
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
    await vi.waitUntil(() => existsSync(process), { timeout: 120_000, interval: 100 });
    const run = onOurs(bench, data);
    const list = "gnt-instance list --no-headers -o status inst1.example.com";
    await vi.waitUntil(async () => (await run(list)).stdout === "running\n", { timeout: 60_000 });
    const jobs = await run("gnt-job list --no-headers -o summary");
    expect(jobs.stdout).toContain("INSTANCE_STARTUP(inst1.example.com)");
  } finally {
    await server.stop();
  }
}

const suite = describe.skipIf(problem !== undefined);

suite("Debian's programs on our server with nodes of Ganeti", () => {
  test("print what they print on Ganeti's own master", { timeout: 300_000 }, () =>
    withReferenceCluster({ storage: true }, comparedWithOriginal),
  );
});

suite("The watcher of our server", () => {
  test("starts an instance again that has ended on a node of Ganeti", { timeout: 300_000 }, () =>
    withReferenceCluster({}, restartedByWatcher),
  );
});
