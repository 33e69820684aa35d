import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runnerIn } from "../test/fake-ports.js";
import { personality } from "./personality.js";

const versionOf = async (variable: string | undefined, ...words: string[]) => {
  const { run, argv } = personality(words, variable);
  return (await runnerIn(run, {}, ...argv, "--version")).stdout.split("\n", 1)[0];
};

test.each<[string | undefined, string[], string]>([
  [undefined, ["/usr/bin/hinfo"], "hinfo"],
  [undefined, ["dist/hinfo.js"], "hinfo"],
  [undefined, ["/x/HINFO"], "hinfo"],
  [undefined, ["/x/htools", "hinfo"], "hinfo"],
  [undefined, ["/x/htools.js", "hail"], "hail"],
  ["HINFO", ["/x/htools"], "hinfo"],
  ["hinfo", ["/x/hail"], "hinfo"],
])("with HTOOLS=%s, the call %j runs %s", async (variable, words, name) => {
  expect(await versionOf(variable, ...words)).toBe(`${name} (ganeti) version 3.0.2-3`);
});

test("called as htools without a program, it lists the programs", async () => {
  const { run, argv } = personality(["/x/htools", "--help"], undefined);
  const { exitCode, stdout } = await runnerIn(run, {}, ...argv);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Usage: htools PROGRAM \[OPTION\.\.\.\]\n\n hail {1,5}- Ganeti IAllocator/,
  );
});

test.each<[string | undefined, string[], string]>([
  [undefined, ["/x/Frob"], "frob"],
  [undefined, ["/x/htools"], "htools"],
  ["", ["/x/hinfo"], ""],
  ["htools", ["/x/htools", "hinfo"], "htools"],
])(
  "with HTOOLS=%s, %j matches no program, and the programs are listed",
  async (variable, words, name) => {
    const { run, argv } = personality(words, variable);
    const { exitCode, stdout, stderr } = await runnerIn(run, {}, ...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    // Recorded from ganeti-htools 3.0.2-3 with HTOOLS=xx.
    const recorded = new URL("../test/fixtures/usage/unknown.txt", import.meta.url);
    expect(stderr).toBe(readFileSync(recorded, "utf8").replace("'xx'", `'${name}'`));
  },
);
