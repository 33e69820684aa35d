// Sums up vitest's JSON reports in a folder: each failed test with the beginning of its message, then "N passed, N failed".
// A report `NAME-again.json` holds the second run of the files that failed in `NAME.json`, and decides about them.
// A suite that was ended from outside has a report of `{ ended: "why" }`, and counts as one failed test.
// With --failed-files REPORT: the paths of the files that failed in this report; exit status 1 if there are none.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** Lines shown of one message, and tests shown of all: the end of a long log is what people read first. */
const messageLines = 25;
const testsShown = 20;

const readReport = (file) => JSON.parse(readFileSync(file, "utf8"));
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

function show(word, { suite, file, title, message }) {
  console.log(`\n${word} in ${suite}: ${file} > ${title}`);
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  for (const line of lines.slice(0, messageLines)) console.log(`    ${line}`);
}

const ended = (suite, report) => ({ suite, file: "all files", title: report.ended });

function showTotals(folder) {
  const names = readdirSync(folder).map((file) => basename(file, ".json"));
  const [unstable, failed] = [[], []];
  let [passed, skipped] = [0, 0];
  for (const suite of names.filter((name) => !name.endsWith("-again"))) {
    const report = readReport(join(folder, `${suite}.json`));
    if (report.ended !== undefined) {
      failed.push(ended(suite, report));
      continue;
    }
    passed += report.numPassedTests;
    skipped += report.numPendingTests;
    const first = failuresOf(report).map((failure) => ({ suite, ...failure }));
    if (!names.includes(`${suite}-again`)) {
      failed.push(...first);
      continue;
    }
    const second = readReport(join(folder, `${suite}-again.json`));
    if (second.ended !== undefined) {
      failed.push(...first, ended(`${suite}-again`, second));
      continue;
    }
    const again = failuresOf(second);
    const once = first.filter(
      ({ file, title }) => !again.some((other) => other.file === file && other.title === title),
    );
    passed += once.length;
    unstable.push(...once);
    failed.push(...again.map((failure) => ({ suite, ...failure })));
  }
  for (const failure of unstable.slice(0, testsShown)) show("UNSTABLE, failed once", failure);
  for (const failure of failed.slice(0, testsShown)) show("FAILED", failure);
  if (failed.length > testsShown) console.log(`\nand ${failed.length - testsShown} more`);
  if (unstable.length > 0) console.log(`\n${unstable.length} unstable`);
  if (skipped > 0) console.log(`\n${skipped} skipped`);
  console.log(`${passed} passed, ${failed.length} failed`);
}

const [first = ".", report] = process.argv.slice(2);
if (first === "--failed-files") {
  const files = new Set(failuresOf(readReport(report)).map(({ file }) => file));
  console.log([...files].join("\n"));
  process.exitCode = files.size === 0 ? 1 : 0;
} else {
  showTotals(first);
}
