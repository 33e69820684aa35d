// gnt-debug confd asks Ganeti's own confd daemons, on the nodes of the bench.
import { fileURLToPath } from "node:url";
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

/** Built by the suite's command before it begins. */
const program = fileURLToPath(new URL("../dist/gnt-debug.js", import.meta.url));

describe.skipIf(problem !== undefined)("gnt-debug confd and ganeti-confd", () => {
  let bench: ReferenceBench;
  beforeAll(async () => {
    bench = await bringUp();
  });
  afterAll(() => bench?.down());

  const ask = (...words: readonly string[]) =>
    bench.attempt(process.execPath, [
      ...[program, "confd", `--key=${bench.master.dataFolder}/hmac.key`],
      ...[`--address=${bench.master.address}`, ...words],
    ]);

  test("roles, addresses, the master and values are those of Ganeti's configuration", async () => {
    const [first, second] = bench.nodes;
    const answers = [
      await ask("node-role", first?.name ?? ""),
      await ask("node-role", second?.name ?? ""),
      await ask("master"),
      await ask("master", "cluster-ip", "node-ip"),
      await ask("config-value", "/cluster/cluster_name"),
    ];
    expect(answers.map(({ stdout }) => stdout)).toEqual([
      ...["master\n", "candidate\n", `${first?.name}\n`],
      ...[`${bench.cluster.address}\n${first?.address}\n`, `${bench.cluster.name}\n`],
    ]);
    const { stdout } = await ask("node-ips");
    expect(stdout.trim().split("\n").sort()).toEqual(bench.nodes.map(({ address }) => address));
  });

  test("the newest answer of all candidates is shown, with the servers that answered", async () => {
    const others = bench.nodes.slice(1).map(({ address }) => `--address=${address}`);
    const { stdout, status } = await ask(...others, "--json", "ping");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 0, answer: 3_000_000, consistent: true });
    expect(JSON.parse(stdout).sent).toBe(bench.nodes.length);
  });

  test("errors are reported in words, and our own queries stay unanswered", async () => {
    const unknown = await ask("node-ip", "203.0.113.9");
    expect([unknown.status, unknown.stderr]).toEqual([1, "Query 'node-ip': unknown entry\n"]);
    const silent = await ask("--timeout=1", "offline-nodes");
    expect([silent.status, silent.stderr]).toEqual([1, expect.stringContaining("No answer from")]);
  });
});
