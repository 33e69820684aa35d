// Prints which part of each package's lines the suite `test` has run, and which statements of recovery and clearing it has not.
// Argument: the folder with coverage-final.json.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** What runs after a crash only: each statement is tested, or has a reason to be there. */
const guarded = /recover|clear|fence|refus|takeover/;

const report = JSON.parse(readFileSync(`${process.argv[2]}/coverage-final.json`, "utf8"));
const packages = new Map();
const unreached = [];
for (const { path, statementMap, s } of Object.values(report)) {
  const file = relative(process.cwd(), path);
  const name = file.split("/").slice(0, 2).join("/");
  const sum = packages.get(name) ?? { all: 0, run: 0 };
  packages.set(name, sum);
  for (const [id, { start }] of Object.entries(statementMap)) {
    sum.all++;
    if (s[id] > 0) sum.run++;
    else if (guarded.test(file)) unreached.push(`${file}:${start.line}`);
  }
}
for (const [name, { all, run }] of [...packages].sort()) {
  console.log(`${((100 * run) / all).toFixed(1).padStart(5)} % of ${all} statements  ${name}`);
}
console.log(`${unreached.length} statements of recovery, clearing and takeover that no test runs:`);
for (const place of unreached) console.log(`  ${place}`);
