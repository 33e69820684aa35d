// Loading of clusters, common to all programs and tested through hinfo.

import { loadCluster, writeClusterText } from "@ganeti-ts/htools";
import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { hinfo } from "../src/hinfo/program.js";
import { loadSource } from "../src/loading/load-source.js";
import { defaultSettings, type Settings } from "../src/settings.js";
import { portsIn, runIn, type World } from "./fake-ports.js";
import { wireInstance, wireMessage } from "./message.js";

const names = ["web.example.com", "web.example.org", "db.example.com"];
const cluster = writeClusterText(
  loadCluster(
    aCluster({
      nodes: ["n1.example.com", "n2.example.com", "n2.example.org"].map((name) =>
        aNode({ name, diskFreeMib: 900_000 }),
      ),
      instances: names.map((name) => anInstance({ name, primary: 0, secondary: 1 })),
    }),
  ),
);
const world: World = {
  files: {
    cluster,
    short: "one\n\ntwo\n",
    folder: { code: "EISDIR" },
    message: JSON.stringify(wireMessage({ instances: { db: wireInstance({ nodes: ["node1"] }) } })),
    text: "{",
    loads: "web.example.com 0.5 2 3 4\nunknown 1 1 1 1\ndb 7 7 7 7\n",
    four: "web.example.com 1 1 1\n",
    blank: "web.example.com 1 1 1 1 \n",
    empty: "web.example.com 1 1 1 1\n\n",
    word: "web.example.com 1 x 1 1\n",
  },
};

test.each<[string[], string]>([
  [[], "Error: failed to load data, aborting: No backend selected! Exiting.\n"],
  [
    ["-t", "cluster", "-m", "x"],
    "Error: Only one of the rapi, luxi, and data files options should be given.\n",
  ],
  [
    ["-t", "cluster", "-L"],
    "Error: Only one of the rapi, luxi, and data files options should be given.\n",
  ],
  [
    ["-t", "missing"],
    "Error: failed to load data, aborting: missing: openFile: does not exist (No such file or directory)\n",
  ],
  [
    ["-t", "short"],
    "Error: failed to load data, aborting: Invalid format of the input file: 2 sections instead of 4 or more\n",
  ],
  [
    ["-I", "missing"],
    "Error: failed to load data, aborting: missing: openFile: does not exist (No such file or directory)\n",
  ],
  [["-t", "cluster", "x"], "Error: This program doesn't take any arguments.\n"],
  [
    ["-qt", "cluster", "-O", "n3", "-O", "n1", "-O", "x"],
    "Error: wrong node name(s) set as offline: x,n3\n\n",
  ],
  [["-qt", "cluster", "-O", "n2"], "Error: wrong node name(s) set as offline: n2\n\n"],
])("the command line %j is refused", async (argv, stderr) => {
  const outcome = await runIn(hinfo, world, ...argv);
  expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({ exitCode: 1, stderr });
});

const load = async (change: Partial<Settings>) => {
  const { ports, outcome } = portsIn(world);
  const loaded = await loadSource({ ...defaultSettings(), textData: "cluster", ...change }, ports);
  return { cluster: loaded, stderr: outcome.stderr };
};

test("measured loads are matched by full instance names", async () => {
  const { cluster } = await load({ utilisationFile: "loads" });
  expect(cluster.instances.map(({ load: { cpu, network } }) => [cpu, network])).toEqual([
    [0.5, 4],
    [1, 1],
    [1, 1],
  ]);
  const ignoring = await load({ utilisationFile: "loads", ignoreUtilisation: true });
  expect(ignoring.cluster.instances.map((instance) => instance.load.cpu)).toEqual([0, 0, 0]);
});

test.each([
  ["four", "can't parse utilisation data: Cannot parse line web.example.com 1 1 1"],
  ["blank", "can't parse utilisation data: Cannot parse line web.example.com 1 1 1 1 "],
  ["empty", "can't parse utilisation data: Cannot parse line "],
  ["word", "can't parse utilisation data: web.example.com: cannot parse string 'x'"],
  ["missing", "missing: openFile: does not exist (No such file or directory)"],
])("a utilisation file that is %s is refused", async (utilisationFile, message) => {
  await expect(load({ utilisationFile })).rejects.toThrow(message);
});

test("instance names on the command line are resolved, and unknown ones are refused", async () => {
  const { cluster } = await load({ selectInstances: ["db", "web.example.com"] });
  expect([...cluster.movable]).toEqual([1, 0, 1]);
  await expect(load({ selectInstances: ["web"], excludeInstances: ["x"] })).rejects.toThrow(
    'failed to load data, aborting: Unknown instance(s): ["web","x"]',
  );
});

test.each([
  [1, true],
  [0, false],
  [-1, true],
])("at verbosity %i the warnings are: %s", async (verbosity, told) => {
  const { stderr } = await load({ verbosity, staticKvmNodeMemoryMib: 0 });
  expect(stderr.startsWith("Warning: cluster has inconsistent data:\n  - node ")).toBe(told);
  expect(stderr.endsWith("\n\n")).toBe(told);
});

test("instances of an allocator message count twice, as in Ganeti's programs", async () => {
  const message = { textData: undefined, iallocSource: "message" };
  const { cluster: loaded } = await load(message);
  const held = loaded.data.instances.length;
  expect(held).toBeGreaterThan(0);
  const listed = loaded.primaries.map((list) => {
    let length = 0;
    for (let at = list; at !== undefined; at = at.rest) length++;
    return length;
  });
  expect(listed.reduce((sum, count) => sum + count, 0)).toBe(2 * held);
  await expect(load({ textData: undefined, iallocSource: "text" })).rejects.toThrow(
    /^Parsing input IAllocator message: /,
  );
});
