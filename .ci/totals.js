// Sums up vitest's JSON reports in a folder: each failed test with the beginning of its message, then "N passed, N failed".
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** Lines shown of one message, and failed tests shown of all: the end of a long log is what people read first. */
const messageLines = 25;
const testsShown = 20;

const folder = process.argv[2] ?? ".";
const reports = readdirSync(folder).map((file) => ({
  suite: basename(file, ".json"),
  ...JSON.parse(readFileSync(join(folder, file), "utf8")),
}));
const sum = (numberOf) => reports.reduce((total, report) => total + numberOf(report), 0);

/** A test file that could not even be loaded has failed, although none of its tests has. */
const unloaded = ({ testResults }) =>
  testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );

/** The failed tests of a report: where, which, and what was said. */
const failures = (report) => [
  ...unloaded(report).map(({ name, message }) => ({ file: name, title: "not loaded", message })),
  ...report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => ({
        file: name,
        title: fullName,
        message: failureMessages.join("\n"),
      })),
  ),
];

const failed = reports.flatMap((report) =>
  failures(report).map((failure) => ({ suite: report.suite, ...failure })),
);
for (const { suite, file, title, message } of failed.slice(0, testsShown)) {
  console.log(`\nFAILED in ${suite}: ${relative(process.cwd(), file)} > ${title}`);
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  for (const line of lines.slice(0, messageLines)) console.log(`    ${line}`);
}
if (failed.length > testsShown) console.log(`\nand ${failed.length - testsShown} more`);

const passed = sum((report) => report.numPassedTests);
const skipped = sum((report) => report.numPendingTests);
if (skipped > 0) console.log(`\n${skipped} skipped`);
console.log(`${passed} passed, ${failed.length} failed`);
