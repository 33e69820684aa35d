// Adds up vitest's JSON reports in a folder: "N passed, N failed".
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".";
const reports = readdirSync(folder).map((file) =>
  JSON.parse(readFileSync(join(folder, file), "utf8")),
);
const sum = (numberOf) => reports.reduce((total, report) => total + numberOf(report), 0);

// A test file that could not even be loaded has failed, although none of its tests has.
const unloaded = (report) =>
  report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  ).length;

const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests + unloaded(report));
const skipped = sum((report) => report.numPendingTests);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
