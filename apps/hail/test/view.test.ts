// Options --view and --json of hinfo and hcheck, which Ganeti's programs lack.
import { readFileSync } from "node:fs";
import { HcheckReport, HinfoReport } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { hcheck } from "../src/hcheck/program.js";
import { hinfo } from "../src/hinfo/program.js";
import { clusterText } from "./as-original.js";
import { runIn } from "./fake-ports.js";

const example = readFileSync(new URL("../examples/cluster.data", import.meta.url), "utf8");
// node2 lost most of its free memory, and holds two instances that are to be kept apart.
const troubled = example
  .replace("|4096|49152|", "|4096|9152|")
  .replace(
    "db1.example.com|16384|225536|4|running|Y|node1",
    "db1.example.com|16384|225536|4|running|Y|node2",
  )
  .replaceAll("service:db", "service:web");
const world = { files: { cluster: example, troubled } };

test.each([
  { name: "hinfo", program: hinfo, argv: ["--view", "-t", "cluster"] },
  { name: "hcheck", program: hcheck, argv: ["--view", "-t", "cluster"] },
] as const)("$name shows a healthy cluster", async ({ name, program, argv }) => {
  const { stdout, stderr, exitCode } = await runIn(program as typeof hinfo, world, ...argv);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  await expect(stdout).toMatchFileSnapshot(`golden/view-healthy-${name}.txt`);
});

test.each([
  { name: "hinfo", program: hinfo, argv: ["--view", "-qqt", "troubled", "-O", "node4"] },
  { name: "hcheck", program: hcheck, argv: ["--view", "-qt", "troubled", "-O", "node4"] },
  { name: "hcheck-untried", program: hcheck, argv: ["--view", "--no-sim", "-qt", "troubled"] },
] as const)("$name shows what is wrong first", async ({ name, program, argv }) => {
  const { stdout } = await runIn(program as typeof hinfo, world, ...argv);
  await expect(stdout).toMatchFileSnapshot(`golden/view-troubled-${name}.txt`);
});

test("--view uses colours only on terminals", async () => {
  const looked = async (terminal: { columns: number; colour: boolean } | undefined) => {
    const seen = { ...world, change: { terminal: async () => terminal } };
    return (await runIn(hinfo, seen, "--view", "-t", "troubled")).stdout;
  };
  expect(await looked(undefined)).not.toContain("\u001b");
  expect(await looked({ columns: 100, colour: false })).not.toContain("\u001b");
  expect(await looked({ columns: 100, colour: true })).toContain("\u001b[31m");
  const longest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
  expect(longest(await looked({ columns: 140, colour: false }))).toBeGreaterThan(
    longest(await looked({ columns: 100, colour: false })),
  );
});

test("on a narrow terminal --view omits the bars", async () => {
  const nodeLines = async (columns: number) => {
    const terminal = async () => ({ columns, colour: false });
    const seen = { ...world, change: { terminal } };
    const { stdout } = await runIn(hinfo, seen, "--view", "-t", "cluster");
    return stdout.split("\n").filter((line) => line.includes("% of "));
  };
  for (const columns of [64, 72, 80, 120]) {
    const lines = await nodeLines(columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines.every((line) => line.includes("░"))).toBe(columns > 72);
    expect(lines.length).toBeGreaterThan(2);
  }
});

describe("documents are of their schema", () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  test("hinfo", async () => {
    for (const seed of seeds) {
      const files = { cluster: clusterText(seed) };
      const { stdout, exitCode } = await runIn(hinfo, { files }, "--json", "-t", "cluster");
      expect(exitCode).toBe(0);
      const report = HinfoReport.parse(JSON.parse(stdout));
      const text = (await runIn(hinfo, { files }, "-t", "cluster")).stdout;
      expect(text).toContain(`Cluster is N+1 ${report.n1Happy ? "happy" : "unhappy"}\n`);
      expect(text).toContain(`Loaded ${report.nodes.length} node`);
    }
  });
  test("hcheck", async () => {
    const seen = { healthy: 0, ill: 0 };
    for (const seed of seeds) {
      const files = { cluster: clusterText(seed) };
      const argv = ["--machine-readable", "-t", "cluster"];
      const { stdout, exitCode } = await runIn(hcheck, { files }, "--json", ...argv);
      const report = HcheckReport.parse(JSON.parse(stdout));
      seen[report.healthy ? "healthy" : "ill"]++;
      expect(exitCode).toBe(report.healthy ? 0 : 1);
      const text = (await runIn(hcheck, { files }, ...argv)).stdout;
      for (const [phase, at] of [
        ["INIT", "before"],
        ["FINAL", "after"],
      ] as const) {
        const stuck = report.groups.reduce((sum, group) => sum + (group[at].stuck ?? []).length, 0);
        expect(text).toContain(`HCHECK_${phase}_CLUSTER_GN1_FAIL=${stuck}\n`);
      }
    }
    expect(Math.min(seen.healthy, seen.ill)).toBeGreaterThan(3);
  });
});
