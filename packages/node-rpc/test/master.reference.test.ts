// Ganeti's own master drives simulated nodes through the server.
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SimulatedCluster, simulateNodes } from "./simulated-cluster.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const [one, two, three] = [1, 2, 3].map((at) => `node${at}.example.com`) as [
  string,
  string,
  string,
];
const web = (at: number) => `inst${at}.example.com`;
const add = (...options: readonly string[]) => [
  ...["gnt-instance", "add", "--no-ip-check", "-o", "noop+default", "-B", "memory=128M"],
  ...options,
];
const disk = ["--disk", "0:size=64M"];
const change = (...options: readonly string[]) => ["gnt-instance", "modify", ...options];

/** Life cycles of instances as commands, by disk template; each runs after the previous one. */
const lives: { readonly [template: string]: readonly (readonly string[])[] } = {
  diskless: [
    add("-t", "diskless", "-n", one, web(1)),
    ["gnt-instance", "migrate", "-f", "-n", two, web(1)],
    ["gnt-instance", "failover", "-f", "-n", one, web(1)],
    ["gnt-instance", "shutdown", web(1)],
    ["gnt-instance", "remove", "-f", web(1)],
  ],
  file: [
    add("-t", "file", "--disk", "0:size=16M", "-n", one, web(2)),
    ["gnt-instance", "grow-disk", web(2), "0", "16M"],
    ["gnt-instance", "shutdown", web(2)],
    ["gnt-instance", "rename", "--no-ip-check", web(2), web(6)],
    ["gnt-instance", "reinstall", "-f", web(6)],
    ["gnt-backup", "export", "-n", two, web(6)],
    ["gnt-instance", "startup", web(6)],
    ["gnt-instance", "remove", "-f", web(6)],
  ],
  plain: [
    add("-t", "plain", ...disk, "-n", one, web(3)),
    ["gnt-instance", "reboot", "-t", "hard", web(3)],
    ["gnt-instance", "reboot", "-t", "full", web(3)],
    change("-B", "minmem=64M", web(3)),
    change("-m", "96M", web(3)),
    change("--net", "add", web(3)),
    ["gnt-backup", "export", "--noshutdown", "-n", three, web(3)],
    ["gnt-instance", "shutdown", web(3)],
    change("--disk", "add:size=32M", web(3)),
    change("--disk", "1:remove", web(3)),
    ["gnt-instance", "recreate-disks", web(3)],
    ["gnt-instance", "move", "-f", "-n", two, web(3)],
    change("-t", "drbd", "-n", three, web(3)),
    change("-t", "plain", web(3)),
    ["gnt-instance", "remove", "-f", web(3)],
    [
      ...["gnt-backup", "import", "--no-ip-check", "-t", "plain", "-n", one],
      ...["--src-node", three, "--src-dir", web(3), web(3)],
    ],
    ["gnt-backup", "remove", web(3)],
    ["gnt-instance", "remove", "-f", web(3)],
  ],
  drbd: [
    add("-t", "drbd", ...disk, "-n", `${one}:${two}`, web(4)),
    ["gnt-instance", "info", web(4)],
    ["gnt-instance", "console", "--show-cmd", web(4)],
    ["gnt-instance", "migrate", "-f", web(4)],
    ["gnt-instance", "failover", "-f", web(4)],
    ["gnt-instance", "replace-disks", "-p", web(4)],
    ["gnt-instance", "replace-disks", "-s", web(4)],
    ["gnt-instance", "replace-disks", "-n", three, web(4)],
    ["gnt-node", "evacuate", "-f", "-s", "-I", "hail", three],
    ["gnt-instance", "grow-disk", web(4), "0", "64M"],
    ["gnt-instance", "shutdown", web(4)],
    ["gnt-instance", "activate-disks", web(4)],
    ["gnt-instance", "deactivate-disks", web(4)],
    ["gnt-instance", "startup", web(4)],
    ["gnt-instance", "remove", "-f", web(4)],
  ],
};

const ofTheCluster: readonly (readonly string[])[] = [
  ["gnt-node", "info", one],
  ["gnt-node", "volumes"],
  ["gnt-node", "list-storage", "-t", "lvm-pv"],
  ["gnt-node", "modify", "-D", "yes", three],
  ["gnt-node", "modify", "-D", "no", three],
  ["gnt-os", "diagnose"],
  ["gnt-cluster", "verify-disks"],
  ["gnt-cluster", "repair-disk-sizes"],
  ["gnt-cluster", "redist-conf"],
];

describe.skipIf(problem !== undefined)("Ganeti's master and simulated nodes", () => {
  let bench: ReferenceBench;
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    bench = await bringUp({ storage: true, populated: false });
    cluster = await simulateNodes(bench);
  });
  afterAll(async () => {
    await cluster?.close();
    await bench?.down();
  });

  /** Faults of the commands, which ran one after the other. */
  async function problemsOf(commands: readonly (readonly string[])[]): Promise<object[]> {
    const problems: object[] = [];
    for (const [program = "", ...args] of commands) {
      const { status, stdout, stderr } = await bench.attempt(program, args);
      if (status !== 0) problems.push({ command: [program, ...args].join(" "), stdout, stderr });
    }
    return problems;
  }

  test("gnt-cluster verify finds nothing", async () => {
    expect(await problemsOf([["gnt-cluster", "verify"]])).toEqual([]);
  });

  test("gnt-node list shows the figures of the simulated nodes", async () => {
    const fields = ["--no-headers", "--separator=|", "-o", "name,mtotal,dtotal"];
    const { stdout } = await bench.exec("gnt-node", ["list", ...fields]);
    const rows = [one, two, three].map((name) => `${name}|32768|102400\n`);
    expect(stdout).toBe(rows.join(""));
  });

  test("an instance runs on the node that Ganeti has put it on", async () => {
    const put = add("-t", "drbd", ...disk, "-n", `${two}:${three}`, web(5));
    expect(await problemsOf([put])).toEqual([]);
    const state = (name: string) => cluster.simulated.stateOf(cluster.uuidOf(name));
    expect(state(two)?.instances[web(5)]).toMatchObject({ state: "running", memoryMib: 128 });
    expect(Object.values(state(two)?.drbd ?? {})).toMatchObject([{ up: true, primary: true }]);
    expect(Object.values(state(three)?.drbd ?? {})).toMatchObject([{ up: true, primary: false }]);
    const { stdout } = await bench.exec("gnt-instance", ["list", "--no-headers", "-o", "status"]);
    expect(stdout.trim()).toBe("running");
    expect(await problemsOf([["gnt-instance", "remove", "-f", web(5)]])).toEqual([]);
  });

  test("instances of all templates live and leave nothing on the nodes", async () => {
    const problems = await Promise.all(Object.values(lives).map(problemsOf));
    expect(problems.flat()).toEqual([]);
    for (const name of [one, two, three]) {
      const state = cluster.simulated.stateOf(cluster.uuidOf(name));
      const { instances, drbd, volumeGroups, fileSystem, transfers } = state ?? {};
      // A mirror that was converted to a volume stays down on its primary; Ganeti removes it on its secondary only.
      const mirrors = Object.values(drbd ?? {}).filter(({ up }) => up);
      expect({ name, instances, mirrors, transfers }).toEqual({
        ...{ name, instances: {}, mirrors: [], transfers: {} },
      });
      expect(volumeGroups?.xenvg?.volumes).toEqual({});
      expect(fileSystem?.disks).toEqual({});
    }
  });

  test("commands about nodes and the cluster succeed, and verification still finds nothing", async () => {
    expect(await problemsOf([...ofTheCluster, ["gnt-cluster", "verify"]])).toEqual([]);
  });

  test("no call was refused because of its form", () => {
    const failures = cluster.served.filter(({ failure }) => failure !== undefined);
    // Ganeti omits the prefix of virtual clusters in this call.
    expect(failures.filter(({ name }) => name !== "jobqueue_rename")).toEqual([]);
    const names = new Set(cluster.served.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(60);
  });
});
