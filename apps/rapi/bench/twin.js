// Time to make a twin of 1 000 nodes and 20 000 mirrored instances from a text file.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const nodeCount = 1000;
const instanceCount = 20_000;
const perGroup = 100;
const limitSeconds = 10;

const groupUuid = (group) => `00000000-0000-4000-8000-${String(group).padStart(12, "0")}`;
const nodeName = (at) => `node${String(at).padStart(4, "0")}.example.com`;

function clusterText() {
  const groups = Array.from({ length: nodeCount / perGroup }, (_, at) => at);
  const free = Array.from({ length: nodeCount }, () => ({ memory: 258_048, disk: 20_000_000 }));
  const instances = Array.from({ length: instanceCount }, (_, at) => {
    const first = (at % groups.length) * perGroup;
    const primary = first + ((at * 7) % perGroup);
    const secondary = first + ((at * 7 + 1 + (at % 50)) % perGroup);
    free[primary].memory -= 2048;
    for (const node of [primary, secondary]) free[node].disk -= 10_368;
    return `inst${at}.example.com|2048|10368|2|running|Y|${nodeName(primary)}|${nodeName(secondary)}|drbd|owner:a${at % 50}|1|-|N`;
  });
  const nodes = free.map(
    ({ memory, disk }, at) =>
      `${nodeName(at)}|262144|4096|${memory}|20000000|${disk}|64|${at === 0 ? "M" : "N"}|${groupUuid(Math.floor(at / perGroup))}|4||N|0|1|1.0`,
  );
  const groupLines = groups.map((at) => `group${at}|${groupUuid(at)}|preferred||`);
  const sections = [groupLines, nodes, instances, ["htools:iextags:owner"]];
  return sections.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

const folder = mkdtempSync(join(tmpdir(), "twin-bench-"));
try {
  const file = join(folder, "cluster.data");
  writeFileSync(file, clusterText());
  const program = join(import.meta.dirname, "../dist/ganeti-rapi.js");
  const start = performance.now();
  const words = [program, `--twin=${file}`, `--data-dir=${join(folder, "twin")}`];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(stderr);
  const { nodes, instances } = JSON.parse(stderr.trim().split("\n").at(-1));
  if (nodes !== nodeCount || instances !== instanceCount) throw new Error(stderr);
  process.stdout.write(`twin of ${nodes} nodes, ${instances} instances: ${seconds.toFixed(1)} s\n`);
  if (seconds > limitSeconds) {
    process.stderr.write(`more than ${limitSeconds} s\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
