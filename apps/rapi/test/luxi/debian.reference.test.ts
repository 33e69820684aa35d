// Programs of Debian's packages, unmodified: what they say about our cluster, and what they do to it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { creations } from "./balancing.js";
import { debianUnavailable, ended, runCode, runHaskell, runPython } from "./debian.js";
import { type EqualCluster, equalCluster } from "./equal-cluster.js";
import { commandLines } from "./live-commands.js";
import { differingLines, normalised, words } from "./texts.js";

if (debianUnavailable !== undefined) console.warn(`SKIPPED: ${debianUnavailable}`);

const benchProblem = debianUnavailable ?? benchUnavailable();

describe.skipIf(benchProblem !== undefined)("Ganeti's own commands", () => {
  test("print the same on our server as on a cluster of Ganeti's", async () => {
    const equal = await equalCluster({ withHistory: false });
    try {
      await withReferenceCluster({}, async (bench: ReferenceBench) => {
        const differing: string[] = [];
        for (const { command, but } of commandLines) {
          const [program = "", ...args] = words(command);
          const environment = { COLUMNS: "200", LANG: "C.UTF-8", PYTHONHASHSEED: "0" };
          const [theirs, ours] = await Promise.all([
            bench.attempt(program, args, { environment }),
            runPython(equal.luxi.root, program, args),
          ]);
          const lines = differingLines(normalised(theirs), normalised(ours));
          const others = lines.filter((line) => but?.test(line) !== true);
          if (others.length > 0) differing.push(command, ...others);
          // A difference that is allowed for is there.
          else if (but !== undefined && lines.length === 0) differing.push(`equal: ${command}`);
        }
        expect(differing).toEqual([]);
        expect(commandLines.length).toBeGreaterThan(50);
      });
    } finally {
      await equal.end();
    }
  }, 600_000);
});

describe.skipIf(debianUnavailable !== undefined)("Ganeti's htools and libraries", () => {
  let equal: EqualCluster;
  beforeAll(async () => {
    equal = await equalCluster();
    const { queue } = equal.cluster;
    for (const creation of creations) {
      const { status, results } = await queue.ended(await queue.submit([creation]));
      if (status !== "success") throw new Error(JSON.stringify(results));
    }
  });
  afterAll(() => equal.end());

  const ourProgram = (name: string) => join(import.meta.dirname, `../../../hail/dist/${name}.js`);
  const ours = (name: string, args: readonly string[]) =>
    ended(process.execPath, [ourProgram(name), ...args], {
      PATH: process.env.PATH,
      TZ: "UTC",
      GANETI_TS_DATA: equal.folder,
    });
  const isBuilt = existsSync(ourProgram("hbal"));
  if (!isBuilt) console.warn("SKIPPED: apps/hail is not built");

  test.skipIf(!isBuilt).each([
    ["hinfo", []],
    ["hbal", ["-G", "default", "-p", "--print-instances", "-C"]],
    ["hspace", ["--machine-readable=yes", "--standard-alloc=16,64,1", "--disk-template=diskless"]],
    ["hcheck", ["--machine-readable=yes"]],
    ["harep", ["--dry-run"]],
  ])("%s -L of ours and of Debian's say the same about our server", async (name, args) => {
    const luxi = name === "harep" ? [] : ["-L"];
    const theirs = await runHaskell(equal.luxi.root, name, [...luxi, ...args]);
    expect(theirs.status === 0 || name === "hcheck").toBe(true);
    expect(theirs.stdout.length > 0 || name === "harep").toBe(true);
    expect(await ours(name, [...luxi, ...args])).toEqual(theirs);
  });

  test("hbal -L -X of Debian's balances our cluster, and is done then", async () => {
    const before = await runHaskell(equal.luxi.root, "hbal", ["-L", "-G", "default"]);
    expect(before.stdout).toMatch(/Solution length=[1-9]/);
    const done = await runHaskell(equal.luxi.root, "hbal", ["-L", "-G", "default", "-X"]);
    expect(done).toMatchObject({ status: 0 });
    expect(done.stdout).toMatch(/Got job IDs/);
    const after = await runHaskell(equal.luxi.root, "hbal", ["-L", "-G", "default"]);
    expect(after.stdout).toMatch(/No solution found|Cluster is already well balanced/);
    const { queue } = equal.cluster;
    const jobs = await queue.query([], ["status", "summary", "ops"]);
    const moves = jobs.filter((row) => JSON.stringify(row?.[1]).includes("INSTANCE_MIGRATE"));
    const byHbal = moves.filter((row) => JSON.stringify(row?.[2], plain).includes('"hbal"'));
    expect(byHbal.length).toBeGreaterThan(0);
    for (const row of byHbal) {
      expect(row?.[0]).toBe("success");
      expect(JSON.stringify(row?.[2], plain)).toContain('"gnt:client"');
    }
  });

  test("a script with ganeti.luxi and ganeti.cli runs unchanged", async () => {
    const script = `
from ganeti import cli, constants, errors, luxi, opcodes
client = cli.GetClient()
print(client.QueryClusterInfo()["name"])
result = client.Query(constants.QR_NODE, ["name", "role"], None)
print([row[0][1] for row in result.data])
job = cli.SendJob([opcodes.OpTestDelay(duration=0.01)], cl=client)
print(cli.PollJob(job, cl=client))
print(cli.SubmitOpCode(opcodes.OpTagsGet(kind="instance", name="inst4.example.com"), cl=client))
try:
  cli.SubmitOpCode(opcodes.OpInstanceStartup(instance_name="nosuch.example.com"), cl=client)
except errors.OpPrereqError as error:
  print(error.args)
try:
  client.QueryTags("node", "nosuch")
except errors.OpPrereqError as error:
  print(error.args)
executor = cli.JobExecutor(cl=client, verbose=False)
for name in ["one", "two"]:
  executor.QueueJob(name, opcodes.OpTestDelay(duration=0.01))
print([success for success, _ in executor.WaitOrShow(True)])
raw = luxi.Client()
print(raw.CallMethod("QueryConfigValues", (["cluster_name", "nonsense"], )))
raw.Close()
`;
    const { status, stdout, stderr } = await runCode(equal.luxi.root, script);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => !/^Waiting|^Submitted/.test(line)),
    ).toEqual([
      "cluster.example.com",
      "['node1.example.com', 'node2.example.com', 'node3.example.com']",
      "[None]",
      "['env:test', 'owner:alice']",
      `("Instance 'nosuch.example.com' not known", 'unknown_entity')`,
      "('Node name nosuch not found', 'unknown_entity')",
      "[True, True]",
      "['cluster.example.com', None]",
    ]);
  });
});

/** Times in nanoseconds are beyond what JSON of JavaScript takes. */
const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
