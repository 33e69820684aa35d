// Options in the words of Ganeti's programs; recorded from ganeti-htools 3.0.2-3 by `PROGRAM --help`
// and `PROGRAM --help-completion`.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Option } from "../src/option.js";
import * as balancing from "../src/options/balancing.js";
import * as jobs from "../src/options/jobs.js";
import * as loading from "../src/options/loading.js";
import * as output from "../src/options/output.js";
import * as sources from "../src/options/sources.js";
import { programs } from "../src/programs.js";
import type { Settings } from "../src/settings.js";
import { completionLines, optionRows } from "../src/usage.js";
import { runnerIn } from "./fake-ports.js";

const known = [
  "hail",
  "harep",
  "hbal",
  "hcheck",
  "hinfo",
  "hroller",
  "hscan",
  "hspace",
  "hsqueeze",
];
const recorded = (file: string) =>
  readFileSync(new URL(`fixtures/usage/${file}.txt`, import.meta.url), "utf8");
const oneBlank = (text: string) => text.replace(/ +/g, " ").trim();

const shared = [sources, loading, output, balancing, jobs].flatMap((module) =>
  Object.values<Option<Settings> | string>(module),
);
const ours: readonly unknown[] = [output.json, output.view, sources.dataDir];
test.each(
  shared.filter(
    (option) => typeof option !== "string" && !ours.includes(option),
  ) as Option<Settings>[],
)("--$long has the description of Ganeti's programs that have it", (option) => {
  const row = oneBlank(optionRows([option]));
  const line = completionLines([option]).trim();
  const having = known.filter((name) => new RegExp(` --${option.long}[ =[]`).test(recorded(name)));
  expect(having).not.toEqual([]);
  for (const name of having) {
    expect(recorded(name).split("\n").map(oneBlank)).toContain(row);
    expect(recorded(`${name}.completion`).split("\n")).toContain(line);
  }
});

test.each([...programs.keys()])(
  "the usage of %s is Ganeti's, followed by our options",
  async (name) => {
    const run = await programs.get(name)?.load();
    const outcome = await runnerIn(run as NonNullable<typeof run>, {}, "--help");
    const [original, ours] = outcome.stdout.split(`\nBeyond Ganeti's ${name}:\n`);
    expect(original).toBe(recorded(name));
    expect(ours).toMatch(/--completion=SHELL.*\n\nExamples:\n/);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
  },
);

test.each([...programs.keys()])(
  "%s --help-completion lists Ganeti's options and ours",
  async (name) => {
    const run = await programs.get(name)?.load();
    const { stdout } = await runnerIn(run as NonNullable<typeof run>, {}, "--help-completion");
    const theirs = recorded(`${name}.completion`).split("\n");
    expect(stdout.split("\n").filter((line) => theirs.includes(line))).toEqual(theirs);
  },
);

test.each([...programs.keys()])("%s has a completion script for bash", async (name) => {
  const run = await programs.get(name)?.load();
  const { stdout } = await runnerIn(run as NonNullable<typeof run>, {}, "--completion=bash");
  expect(stdout).toContain(`complete -o default -F _${name} ${name}\n`);
});
