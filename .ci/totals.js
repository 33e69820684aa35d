// Sums up vitest's JSON reports in a folder: each failed test with the beginning of its message, then "N passed, N failed".
// A suite that was ended from outside has a report of `{ ended: "why" }`, and counts as one failed test.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** Lines shown of one message, and tests shown of all: the end of a long log is what people read first. */
const messageLines = 25;
const testsShown = 20;

const isFailed = ({ status }) => status === "failed";

/** The failed tests of a report: where, which, and what was said. A file that could not be loaded counts as one. */
const failuresOf = ({ testResults = [] }) =>
  testResults.filter(isFailed).flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    if (assertionResults.length === 0) return [{ file, title: "not loaded", message }];
    return assertionResults.filter(isFailed).map(({ fullName, failureMessages }) => ({
      file,
      title: fullName,
      message: failureMessages.join("\n"),
    }));
  });

function show({ suite, file, title, message }) {
  console.log(`\nFAILED in ${suite}: ${file} > ${title}`);
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  for (const line of lines.slice(0, messageLines)) console.log(`    ${line}`);
}

const [folder = "."] = process.argv.slice(2);
const failed = [];
let [passed, skipped] = [0, 0];
for (const file of readdirSync(folder)) {
  const suite = basename(file, ".json");
  const report = JSON.parse(readFileSync(join(folder, file), "utf8"));
  if (report.ended !== undefined) {
    failed.push({ suite, file: "all files", title: report.ended });
    continue;
  }
  passed += report.numPassedTests;
  skipped += report.numPendingTests;
  failed.push(...failuresOf(report).map((failure) => ({ suite, ...failure })));
}
for (const failure of failed.slice(0, testsShown)) show(failure);
if (failed.length > testsShown) console.log(`\nand ${failed.length - testsShown} more`);
if (skipped > 0) console.log(`\n${skipped} skipped`);
console.log(`${passed} passed, ${failed.length} failed`);
