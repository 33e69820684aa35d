// Help texts and recorded results of benchmarks: `--help` and `--record`.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { pace } from "./pace.js";

/** With `--help`: prints the comment at the head of `source`, a URL or a path in the package's folder, and ends. */
export function helpIfAsked(source) {
  if (!process.argv.some((word) => word === "--help" || word === "-h")) return;
  const lines = readFileSync(source, "utf8").split("\n");
  const head = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("//")),
  );
  console.log(head.map((line) => line.replace(/^\/\/ ?/, "")).join("\n"));
  process.exit(0);
}

/** With `--record COMMIT`: keeps the figures in `file`, and on which machine and with what they were found. */
export function recordIfAsked(file, figures) {
  const at = process.argv.indexOf("--record");
  if (at < 0) return;
  const commit = process.argv[at + 1] ?? "unknown";
  const baseline = { ...thisMachine(), commit, ...figures };
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** The machine, its pace and the version of Node; takes some seconds. */
export function thisMachine() {
  const model = cpus()[0]?.model.split(" ").slice(0, 2).join(" ");
  return { machine: `${cpus().length} x ${model}`, pace: pace(), node: process.version };
}

/** With three significant digits. */
export const rounded = (value) => Number(value.toPrecision(3));
