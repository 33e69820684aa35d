// Benchmark of decoding messages: time and memory. `--record` writes baseline.json.
//
// Every size has a process of its own: its first decoding is what a program that runs once pays,
// its best one what a server pays.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeMessage } from "@ganeti-ts/protocol";
import { helpIfAsked, rounded, thisMachine } from "../../../tooling/bench.js";
import { largeMessage } from "./messages.js";

helpIfAsked("bench/decode.bench.ts");

interface Measured {
  readonly firstMs: number;
  readonly bestMs: number;
  /** The most memory the process ever had, the message included. */
  readonly peakMib: number;
}

const sizes = [20, 200, 2000, 20_000];
const [mode, file = "", nodes = ""] = process.argv.slice(2);
if (mode === "--one") process.stdout.write(JSON.stringify(measure(file, Number(nodes))));
else compare(mode === "--record");

function measure(path: string, nodeCount: number): Measured {
  const bytes = readFileSync(path);
  const times: number[] = [];
  for (let spent = 0; times.length < 3 || (spent < 2000 && times.length < 200); ) {
    const start = performance.now();
    const { cluster } = decodeMessage(bytes);
    times.push(performance.now() - start);
    spent += times.at(-1) ?? 0;
    // The work happened.
    if (cluster.nodes.length !== nodeCount) throw new Error(`${cluster.nodes.length} nodes`);
    if (cluster.instances.length !== 10 * nodeCount) throw new Error("instances are missing");
  }
  const peakMib = process.resourceUsage().maxRSS / 1024;
  return { firstMs: times[0] ?? 0, bestMs: Math.min(...times), peakMib };
}

function compare(record: boolean): void {
  const folder = mkdtempSync(join(tmpdir(), "decode-bench-"));
  const results = sizes.map((nodeCount) => {
    const path = join(folder, `${nodeCount}.json`);
    const text = largeMessage(1, nodeCount);
    writeFileSync(path, text);
    const words = [fileURLToPath(import.meta.url), "--one", path, String(nodeCount)];
    const measured = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }));
    const { firstMs, bestMs, peakMib } = measured as Measured;
    const sizeMib = text.length / 2 ** 20;
    const result = {
      nodes: nodeCount,
      sizeMib: rounded(sizeMib),
      firstMs: rounded(firstMs),
      bestMs: rounded(bestMs),
      mibPerSecond: rounded((sizeMib / bestMs) * 1000),
      peakMib: Math.round(peakMib),
    };
    console.log(JSON.stringify(result));
    return result;
  });
  rmSync(folder, { recursive: true });

  // Growth of the time from one size to the next: 1 is in proportion.
  const growth: Record<string, number> = {};
  for (const [i, { nodes: nodeCount, bestMs }] of results.entries()) {
    const before = results[i - 1];
    if (before === undefined) continue;
    const exponent = Math.log(bestMs / before.bestMs) / Math.log(nodeCount / before.nodes);
    growth[`${before.nodes} to ${nodeCount} nodes`] = rounded(exponent);
  }
  console.log(`growth exponents: ${JSON.stringify(growth)}`);
  if (!record) return;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const baseline = { ...thisMachine(), commit, results, growth };
  writeFileSync("bench/baseline.json", `${JSON.stringify(baseline, undefined, 2)}\n`);
}
