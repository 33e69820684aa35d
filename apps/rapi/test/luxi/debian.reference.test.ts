// Unmodified programs of Debian's packages: their output and effects on our cluster.
import { readFileSync } from "node:fs";
import { benchUnavailable, type ReferenceBench, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { debianUnavailable, runCode, runPython } from "./debian.js";
import { equalCluster } from "./equal-cluster.js";
import { differingLines, normalised, words } from "./texts.js";

if (debianUnavailable !== undefined) console.warn(`SKIPPED: ${debianUnavailable}`);

/** Commands without `gnt-`, each with the lines that may differ. */
const commandLines = readFileSync(new URL("live-commands.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("  "));

const benchProblem = debianUnavailable ?? benchUnavailable();

describe.skipIf(benchProblem !== undefined)("Ganeti's own commands", () => {
  test("print the same on our server as on a cluster of Ganeti's", async () => {
    const equal = await equalCluster();
    try {
      await withReferenceCluster({}, async (bench: ReferenceBench) => {
        const differing: string[] = [];
        for (const [command = "", but] of commandLines) {
          const [program = "", ...args] = words(`gnt-${command}`);
          const environment = { COLUMNS: "200", LANG: "C.UTF-8", PYTHONHASHSEED: "0" };
          const [theirs, ours] = await Promise.all([
            bench.attempt(program, args, { environment }),
            runPython(equal.luxi.root, program, args),
          ]);
          const lines = differingLines(normalised(theirs), normalised(ours));
          const others = lines.filter((line) => but === undefined || !new RegExp(but).test(line));
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

describe.skipIf(debianUnavailable !== undefined)("Ganeti's Python library", () => {
  test("a script with ganeti.luxi and ganeti.cli runs unchanged", async () => {
    const equal = await equalCluster();
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
    await equal.end();
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
