// hsqueeze prints what Ganeti's prints, submits the same jobs, and its document says the same.
import { loadCluster, readClusterText, writeClusterText } from "@ganeti-ts/htools";
import { HsqueezeReport } from "@ganeti-ts/protocol";
import { messageOfShape } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { afterEach, describe, expect, test } from "vitest";
import { hsqueeze } from "../src/hsqueeze/program.js";
import { describeAsOriginal } from "./as-original.js";
import { runIn } from "./fake-ports.js";
import { originalBeside, realmOf } from "./masters.js";
import { type Master, type Realm, startMaster } from "./mock-master.js";
import { whatIsMissing } from "./original.js";

/** Up to eight nodes with shared storage, some of them on standby. */
function clusterOf(seed: number) {
  const dice = new Dice(seed);
  const nodeCount = dice.between(3, 8);
  const shape = { seed, groupCount: 1, nodeCount, instanceCount: dice.between(0, 2) * nodeCount };
  const { cluster } = messageOfShape(shape, "relocate", {
    templates: dice.pick([["ext"], ["ext", "rbd"], ["ext", "ext", "ext", "drbd"]] as const),
    room: dice.pick(["roomy", "usual", "tight"]),
    exclusiveStorage: "none",
    away: false,
    zeroSizes: false,
    leaks: false,
  }).message;
  const used = new Set(cluster.instances.flatMap(({ primary, secondary }) => [primary, secondary]));
  const nodes = cluster.nodes.map((node, at) => {
    const offline = dice.chance(used.has(at) ? 0.1 : 0.5);
    const tags = dice.some(["htools:standby:auto", "other"], 0.7);
    return { ...node, offline, tags, master: at === 0 && !offline };
  });
  return { ...cluster, nodes };
}

describeAsOriginal(
  hsqueeze,
  [
    ["-t", "cluster"],
    ["-v", "-C", "--minimal-resources=0", "--target-resources=0", "-t", "cluster"],
    ["-v", "-C", "--minimal-resources=0", "--target-resources=1", "-S", "state", "-t", "cluster"],
    ["-v", "-C", "--minimal-resources=6", "-S", "state", "-t", "cluster"],
    ["-Ccommands", "--target-resources=0.5", "--no-headers", "-t", "cluster"],
    ["-X", "--target-resources=0", "-S", "state", "-t", "cluster"],
    ["--minimal-resources=1..2", "-t", "cluster"],
    ["--minimal-resources=NaN", "-t", "cluster"],
    ["--minimal-resources=-5", "--target-resources=1e300", "-t", "cluster"],
  ],
  { recorded: 6, fresh: 3 },
  {},
  (seed) => writeClusterText(loadCluster(clusterOf(seed))),
);

const open: Master[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((master) => master.close()));
});

async function master(realm: Realm): Promise<Master> {
  const started = await startMaster(realm);
  open.push(started);
  return started;
}

const ours = async ({ socket }: Master, ...argv: string[]) => {
  const { exitCode, stdout, stderr, written } = await runIn(hsqueeze, {}, `-L${socket}`, ...argv);
  return { exitCode, stdout, stderr, written };
};

// Two nodes with one instance each, one on standby.
const text = `default|uuid|preferred||

a|16384|1024|11264|1000000|900000|16|M|uuid
b|16384|1024|13312|1000000|900000|16|N|uuid
c|16384|1024|15360|1000000|900000|16|Y|uuid|1|htools:standby:by-hand

i1|4096|10240|1|running|Y|a||ext|
i2|2048|10240|1|running|Y|b||ext|

`;
const realm = realmOf(readClusterText(text));
// A master tells nothing about the room of a node that is offline: to hsqueeze it has none.
const allOnline = text.replace(/^c.*\n/m, "");
const onlineRealm = realmOf(readClusterText(allOnline));

describe("-X", () => {
  const missing = whatIsMissing("hsqueeze");
  if (missing)
    console.warn(`\n*** SKIPPED: jobs are not compared with those of hsqueeze: ${missing} ***\n`);

  test("hsqueeze empties a node, then tags it, then switches it off", async () => {
    const served = await master(onlineRealm);
    const { exitCode, stdout } = await ours(served, "-X", "--target-resources=0");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      "'Nodes to offline'\nb\nGot job IDs 101\nGot job IDs 102\nGot job IDs 103\n",
    );
    const jobs = served.submitted() as { OP_ID: string }[][][][];
    expect(jobs.map(([set]) => set?.map((job) => job.map(({ OP_ID }) => OP_ID)))).toEqual([
      [["OP_INSTANCE_MIGRATE"]],
      [["OP_TAGS_SET"]],
      [["OP_NODE_SET_PARAMS", "OP_OOB_COMMAND"]],
    ]);
  });

  test("without a node to bring back no power command is sent, because Ganeti would apply it to all nodes", async () => {
    const crowded = allOnline
      .replace("a|16384|1024|11264", "a|16384|1024|4096")
      .replace("i1|", "i0|7168|1024|1|running|Y|a||ext|\ni1|");
    const served = await master(realmOf(readClusterText(crowded)));
    const { stdout } = await ours(served, "-X", "--minimal-resources=40");
    expect(stdout).toMatch(/^'Nodes to online'\nGot job IDs 101\n/);
    expect(JSON.stringify(served.submitted())).not.toContain("OOB");
  });

  test("failed jobs end hsqueeze before the state is saved", async () => {
    const served = await master({ ...onlineRealm, jobs: () => "error" });
    const { exitCode, stderr, written } = await ours(
      served,
      "-X",
      "--target-resources=0",
      "-S",
      "x",
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Error: hsqueeze: Not all jobs completed successfully: [(JobId");
    expect(Object.keys(written)).toEqual(["x.original"]);
  });

  test.skipIf(missing).each([
    ["shrinking", onlineRealm, ["-X", "--target-resources=0", "-S", "state"]],
    ["expanding", realm, ["-X", "--minimal-resources=100", "-S", "state"]],
    ["doing nothing", onlineRealm, ["-X", "--target-resources=100", "-S", "state"]],
  ] as const)("%s submits the same jobs as Ganeti's", async (_, known, argv) => {
    const [theirs, own] = [await master(known), await master(known)];
    const printed = await originalBeside("hsqueeze", [`-L${theirs.socket}`, ...argv]);
    expect(await ours(own, ...argv)).toEqual(printed);
    expect(own.submitted()).toEqual(theirs.submitted());
  });
});

describe("--json", () => {
  const document = async (...argv: string[]) => {
    const { stdout } = await runIn(
      hsqueeze,
      { files: { cluster: text } },
      "-t",
      "cluster",
      ...argv,
    );
    return HsqueezeReport.parse(JSON.parse(stdout));
  };

  test("hsqueeze --json contains nodes, candidates and the jobs to run", async () => {
    expect(await document("--json", "--target-resources=0")).toEqual({
      action: "offline",
      nodes: ["b"],
      enough: true,
      candidates: { offline: ["b"], online: ["c"] },
      jobSets: [
        [
          {
            instance: "i2",
            from: ["b"],
            to: ["a"],
            commands: ["gnt-instance migrate -f -n a i2"],
          },
        ],
      ],
    });
  });

  test("hsqueeze --json reports that not even all nodes are enough, with all other output on stderr", async () => {
    const { stdout, stderr } = await runIn(
      hsqueeze,
      { files: { cluster: text } },
      ...["-t", "cluster", "--json", "-v", "-C", "--minimal-resources=1000"],
    );
    expect(HsqueezeReport.parse(JSON.parse(stdout))).toMatchObject({
      action: "online",
      nodes: ["c"],
      enough: false,
    });
    expect(stderr).toContain("Commands to run:\n  echo Power Commands\n");
  });
});
