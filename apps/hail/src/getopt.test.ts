import { expect, test } from "vitest";
import { getopt } from "./getopt.js";
import type { Option } from "./option.js";

const option = (change: Partial<Option<unknown>> & { long: string }): Option<unknown> => ({
  description: `about ${change.long}`,
  apply: () => {},
  ...change,
});
const options = [
  option({ short: "p", long: "print", argument: { name: "FIELDS", optional: true } }),
  option({ short: "t", long: "text", argument: { name: "FILE" } }),
  option({ short: "v", long: "verbose" }),
  option({ long: "min-gain", argument: { name: "N" } }),
  option({ long: "min-gain-limit", argument: { name: "N" } }),
];
const extensions = [option({ long: "test-only" }), option({ long: "verify" })];

/** Options as `long` or `long=text`, then operands. */
function words(...argv: string[]): {
  found: string[];
  operands: readonly string[];
  faults: string;
} {
  const { occurrences, operands, faults } = getopt(argv, options, extensions);
  const found = occurrences.map(({ option: { long }, text }) =>
    text === undefined ? long : `${long}=${text}`,
  );
  return { found, operands, faults: faults.join("") };
}

test.each([
  { argv: ["a", "-v", "b"], found: ["verbose"], operands: ["a", "b"] },
  { argv: ["-v", "--", "-v", "--"], found: ["verbose"], operands: ["-v", "--"] },
  { argv: ["-", ""], found: [], operands: ["-", ""] },
  { argv: ["-vvtFILE"], found: ["verbose", "verbose", "text=FILE"], operands: [] },
  { argv: ["-vt", "FILE"], found: ["verbose", "text=FILE"], operands: [] },
  { argv: ["-t", "-v"], found: ["text=-v"], operands: [] },
  { argv: ["-t", "--"], found: ["text=--"], operands: [] },
  { argv: ["--text", "--verbose"], found: ["text=--verbose"], operands: [] },
  { argv: ["--text=", "x"], found: ["text="], operands: ["x"] },
  { argv: ["--text=a=b"], found: ["text=a=b"], operands: [] },
  { argv: ["-pname", "-p", "name"], found: ["print=name", "print"], operands: ["name"] },
  { argv: ["--print=", "--print", "x"], found: ["print=", "print"], operands: ["x"] },
  { argv: ["--verb", "--p=x", "--t", "f"], found: ["verbose", "print=x", "text=f"], operands: [] },
  { argv: ["--min-gain", "1"], found: ["min-gain=1"], operands: [] },
  { argv: ["-v-", "-v"], found: ["verbose"], operands: ["-v"] },
  { argv: ["-v-verb"], found: ["verbose", "verbose"], operands: [] },
])("getopt parses $argv", ({ argv, found, operands }) => {
  expect(words(...argv)).toEqual({ found, operands, faults: "" });
});

test.each([
  [["--x"], "unrecognized option `--x'\n"],
  [["--x=1"], "unrecognized option `--x=1'\n"],
  [["-x"], "unrecognized option `-x'\n"],
  [["-é1"], "unrecognized option `-é'\nunrecognized option `-1'\n"],
  [["-vxyp"], "unrecognized option `-x'\nunrecognized option `-y'\n"],
  [["-v=1"], "unrecognized option `-='\nunrecognized option `-1'\n"],
  [["-t"], "option `-t' requires an argument FILE\n"],
  [["--te"], "option `--te' requires an argument FILE\n"],
  [["--verbose=3"], "option `--verbose' doesn't allow an argument\n"],
  [["--verb=3"], "option `--verb' doesn't allow an argument\n"],
  [
    ["-x", "--verbose=3"],
    "option `--verbose' doesn't allow an argument\nunrecognized option `-x'\n",
  ],
])("getopt reports a fault in %j", (argv, faults) => {
  expect(words(...argv).faults).toBe(faults);
});

test("an ambiguous abbreviation lists the options it matches", () => {
  expect(words("--min=1").faults).toBe(
    "option `--min' is ambiguous; could be one of:\n" +
      "    --min-gain=N        about min-gain\n" +
      "    --min-gain-limit=N  about min-gain-limit\n",
  );
});

test("an added option does not change abbreviations of original options", () => {
  expect(words("--ver").found).toEqual(["verbose"]);
  expect(words("--te", "x").found).toEqual(["text=x"]);
  expect(words("--tes").found).toEqual(["test-only"]);
  expect(words("--verify").found).toEqual(["verify"]);
});
