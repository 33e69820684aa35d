// hroller prints what Ganeti's prints, and its document says the same.
import { loadCluster, readClusterText, writeClusterText } from "@ganeti-ts/htools";
import { HrollerReport } from "@ganeti-ts/protocol";
import { messageOfShape, randomMessage, wireMessage } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { hroller } from "../src/hroller/program.js";
import { describeAsOriginal } from "./as-original.js";
import { runIn } from "./fake-ports.js";
import { originalBeside, realmOf } from "./masters.js";
import { startMaster } from "./mock-master.js";
import { runOriginal, whatIsMissing } from "./original.js";

/** Up to twelve nodes with room to move; mostly with a master, and tags to choose nodes by. */
function clusterText(seed: number): string {
  const dice = new Dice(seed);
  const nodeCount = dice.between(3, 12);
  const shape = {
    seed,
    groupCount: dice.pick([1, 1, 2]),
    nodeCount,
    instanceCount: dice.between(1, 3) * nodeCount,
  };
  const { cluster } = messageOfShape(shape, "relocate", {
    templates: dice.pick([
      ["drbd"],
      ["drbd"],
      ["drbd", "plain"],
      ["drbd", "ext", "plain"],
    ] as const),
    room: dice.pick(["roomy", "usual", "tight"]),
    exclusiveStorage: dice.pick(["none", "none", "some"]),
    zeroSizes: false,
  }).message;
  const firstOnline = cluster.nodes.findIndex(({ offline }) => !offline);
  const master = dice.chance(0.9) ? firstOnline : -1;
  const nodes = cluster.nodes.map((node, at) => ({
    ...node,
    master: at === master,
    tags: dice.some(["red", "green"], 0.6),
  }));
  return writeClusterText(loadCluster({ ...cluster, nodes }));
}

describeAsOriginal(
  hroller,
  [
    ["-t", "cluster"],
    ["-vvv", "--print-moves", "-t", "cluster"],
    ["-vv", "--full-evacuation", "--print-moves", "-f", "-t", "cluster"],
    ["-vv", "--offline-maintenance", "--full-evacuation", "--print-moves", "-t", "cluster"],
    ["-v", "--node-tags=red", "--full-evacuation", "--print-moves", "-t", "cluster"],
    ["-v", "--node-tags=green,blue", "--skip-non-redundant", "-t", "cluster", "-O", "node1"],
    ["--ignore-non-redundant", "--full-evacuation", "--print-moves", "-t", "cluster"],
    ["--one-step-only", "--print-moves", "-t", "cluster"],
    ["--one-step-only", "--no-headers", "-G", "group-a", "-t", "cluster"],
    ["-G", "nobody", "-S", "state", "-t", "cluster"],
    ["-O", "node2", "-S", "state", "-qt", "cluster"],
    ["--static-kvm-node-memory=x", "-t", "cluster"],
  ],
  { recorded: 5, fresh: 3 },
  {},
  clusterText,
);

const missing = whatIsMissing("hroller");
const seeds = Array.from({ length: 6 }, (_, at) => 6 * (Math.floor(Date.now() / 1000) % 1e5) + at);

describe.skipIf(missing)("other sources give the same groups as Ganeti's", () => {
  // Every instance counts twice then.
  test.each(seeds)("an allocator message, seed %i", async (seed) => {
    const message = JSON.stringify(wireMessage(randomMessage(seed, "relocate").message));
    for (const how of ["--ignore-non-redundant", "--offline-maintenance", "-vv"]) {
      const argv = ["-vfI", "message", "--print-moves", "--full-evacuation", how];
      const printed = runOriginal("hroller", argv, { message });
      if (printed === undefined) continue;
      expect(await runIn(hroller, { files: { message } }, ...argv)).toMatchObject(printed);
    }
  });

  test.each(seeds.slice(0, 2))("a master, seed %i", async (seed) => {
    const master = await startMaster(realmOf(randomMessage(seed, "relocate").message.cluster));
    try {
      const argv = [`-L${master.socket}`, "-vv", "--print-moves"];
      const printed = await originalBeside("hroller", argv);
      expect(await runIn(hroller, {}, ...argv)).toMatchObject(printed);
    } finally {
      await master.close();
    }
  });
});

const document = async (...argv: string[]) => {
  const { stdout, exitCode } = await runIn(hroller, { files: { cluster: text } }, ...argv);
  expect(exitCode).toBe(0);
  return HrollerReport.parse(JSON.parse(stdout));
};

// Nodes b and c hold the halves of a mirror; a is the master and has an instance without one.
const text = `default|uuid|preferred||

a|65536|1024|60416|1000000|900000|16|M|uuid
b|65536|1024|60416|1000000|900000|16|N|uuid
c|65536|1024|64512|1000000|900000|16|N|uuid

mirrored|4096|10240|1|running|Y|b|c|drbd|
shared|4096|10240|1|running|Y|a||ext|

`;

describe("--json", () => {
  test("hroller --json contains groups, moves and the colouring of each algorithm", async () => {
    expect(await document("-t", "cluster", "--json")).toEqual({
      groups: [
        { nodes: ["c"], moves: [] },
        {
          nodes: ["b", "a"],
          moves: [{ instance: "shared", primary: "c", secondary: null }],
        },
      ],
      colourings: ["LF", "Dsatur", "Dcolor"].map((algorithm) => ({
        algorithm,
        sizes: [2, 1],
        chosen: algorithm === "LF",
      })),
    });
  });

  test("hroller --json names the targets of both halves of a mirror, and only one group with --one-step-only", async () => {
    const argv = ["-t", "cluster", "--json", "--full-evacuation", "--one-step-only", "-vvv"];
    const { groups } = await document(...argv);
    // b takes the mirror from c, and what was moved there from the master.
    expect(groups).toEqual([
      {
        nodes: ["b"],
        moves: [
          { instance: "mirrored", primary: "c", secondary: "a" },
          { instance: "shared", primary: "c", secondary: null },
        ],
      },
    ]);
  });

  test("names the node an instance really goes to, where the text as Ganeti's names another", async () => {
    let mistaken = 0;
    for (let seed = 0; seed < 60; seed++) {
      const cluster = clusterText(seed);
      const { nodes, instances } = readClusterText(cluster);
      const argv = ["-f", "-t", "cluster", "--full-evacuation", "--print-moves", "--node-tags=red"];
      const { stdout } = await runIn(hroller, { files: { cluster } }, ...argv);
      if (stdout === "") continue;
      const { groups } = JSON.parse(
        (await runIn(hroller, { files: { cluster } }, ...argv, "--json")).stdout,
      ) as HrollerReport;
      for (const move of groups.flatMap(({ moves }) => moves)) {
        const { primary, secondary } = instances.find(({ name }) => name === move.instance) ?? {};
        if (move.secondary === null) continue;
        // It only failed over, if at all.
        expect([primary, secondary].map((node) => nodes[node ?? -1]?.name)).toContain(move.primary);
        const line = `  ${move.instance} ${move.primary} ${move.secondary}\n`;
        if (!stdout.includes(line)) mistaken++;
      }
    }
    expect(mistaken).toBeGreaterThan(0);
  });
});
