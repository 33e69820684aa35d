import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optparseText } from "./fault.js";
import type { OptionForm, ReadRules } from "./option-form.js";
import { readWords } from "./read-words.js";

const form = (
  long: string,
  argument: OptionForm<string>["argument"],
  short?: string,
): OptionForm<string> => ({ option: long, long: [long], argument, short });

const forms: readonly OptionForm<string>[] = [
  form("print", "optional", "p"),
  form("text", "required", "t"),
  form("verbose", "none", "v"),
  form("min-gain", "required"),
  form("min-gain-limit", "required"),
  { ...form("yes-do-it", "none"), long: ["yes-do-it", "ya-rly"] },
  { ...form("verify", "none"), yields: true },
  { ...form("test-only", "none"), yields: true },
];

/** Options as `long` or `long=text`. */
function read(words: readonly string[], rules?: ReadRules) {
  const { occurrences, operands, faults, ended } = readWords(words, forms, rules);
  const options = occurrences.map(({ option, text }) =>
    text === undefined ? option : `${option}=${text}`,
  );
  return { options, operands, faults, ended };
}

describe("options and operands", () => {
  test.each([
    { words: ["a", "-v", "b"], options: ["verbose"], operands: ["a", "b"] },
    { words: ["-v", "--", "-v", "--"], options: ["verbose"], operands: ["-v", "--"] },
    { words: ["-", ""], options: [], operands: ["-", ""] },
    { words: ["-vvtFILE"], options: ["verbose", "verbose", "text=FILE"], operands: [] },
    { words: ["-vt", "FILE"], options: ["verbose", "text=FILE"], operands: [] },
    { words: ["-t", "--"], options: ["text=--"], operands: [] },
    { words: ["--text", "-v"], options: ["text=-v"], operands: [] },
    { words: ["--text=", "x"], options: ["text="], operands: ["x"] },
    { words: ["--text=a=b"], options: ["text=a=b"], operands: [] },
    { words: ["-pname", "-p", "x"], options: ["print=name", "print"], operands: ["x"] },
    { words: ["--print=", "--print", "x"], options: ["print=", "print"], operands: ["x"] },
    { words: ["--verb", "--p=x"], options: ["verbose", "print=x"], operands: [] },
    { words: ["--min-gain", "1"], options: ["min-gain=1"], operands: [] },
    { words: ["--ya"], options: ["yes-do-it"], operands: [] },
    { words: ["--ver", "--te", "x"], options: ["verbose", "text=x"], operands: [] },
    { words: ["--verify", "--tes"], options: ["verify", "test-only"], operands: [] },
  ])("$words is understood", ({ words, options, operands }) => {
    expect(read(words)).toMatchObject({ options, operands, faults: [] });
  });

  test("a command line is read back from any of its spellings", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "=", "-", "é", " "), maxLength: 3 });
    const used = fc.oneof(
      fc.constantFrom<readonly string[]>(["-v"], ["--verbose"], ["--verb"]).map((words) => ({
        words,
        option: "verbose",
      })),
      fc.tuple(text, fc.constantFrom("--text=", "--te=")).map(([value, before]) => ({
        words: [before + value],
        option: `text=${value}`,
      })),
      fc.tuple(text, fc.constantFrom("-t", "-vt", "--text")).map(([value, before]) => ({
        words: [before, value],
        option: before === "-vt" ? ["verbose", `text=${value}`] : `text=${value}`,
      })),
    );
    fc.assert(
      fc.property(fc.array(used), fc.array(fc.string()), (parts, operands) => {
        const words = [...parts.flatMap((part) => part.words), "--", ...operands];
        const options = parts.flatMap(({ option }) => option);
        expect(read(words)).toEqual({ options, operands, faults: [], ended: true });
      }),
    );
  });

  test("a command line may have very many operands", () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `web${at}`);
    expect(read(many).operands).toEqual(many);
    expect(read(["--", ...many]).operands).toEqual(many);
  });
});

describe("rules", () => {
  test("unless options mix with operands, the first operand ends them", () => {
    const words = ["-v", "ls", "-v", "--", "-x"];
    expect(read(words, { mixed: false })).toEqual({
      options: ["verbose"],
      operands: ["ls", "-v", "--", "-x"],
      faults: [],
      ended: true,
    });
    expect(read(words)).toMatchObject({ options: ["verbose", "verbose"], operands: ["ls", "-x"] });
  });

  test("a negative number may be an operand behind an operand", () => {
    expect(read(["x", "-1"], { negativeOperands: true }).operands).toEqual(["x", "-1"]);
    expect(read(["-1", "x"], { negativeOperands: true }).faults).toHaveLength(1);
    expect(read(["x", "-1"]).faults).toHaveLength(1);
  });

  test("a dash inside a cluster is an unknown option, or begins a word", () => {
    expect(read(["-v-verb"]).faults[0]).toMatchObject({ kind: "unknown", spelled: "--" });
    const rules = { dashEndsCluster: true };
    expect(read(["-v-verb"], rules)).toMatchObject({ options: ["verbose", "verbose"], faults: [] });
    expect(read(["-v-", "-v"], rules)).toMatchObject({ options: ["verbose"], operands: ["-v"] });
  });
});

describe("faults", () => {
  test.each([
    { words: ["--x=1"], says: ["no such option: --x"] },
    { words: ["-é1"], says: ["no such option: -é", "no such option: -1"] },
    {
      words: ["-vx", "--min"],
      says: ["no such option: -x", "ambiguous option: --min (--min-gain, --min-gain-limit?)"],
    },
    { words: ["-t"], says: ["-t option requires 1 argument"] },
    { words: ["--te"], says: ["--text option requires 1 argument"] },
    {
      words: ["--verb=3", "--ya="],
      says: ["--verbose option does not take a value", "--ya-rly option does not take a value"],
    },
  ])("$words is at fault in the words of Python's optparse", ({ words, says }) => {
    expect(read(words).faults.map(optparseText)).toEqual(says);
  });

  test("a fault tells how the option was written, and which was meant", () => {
    expect(read(["--verb=3", "--min=1", "--x=1"]).faults).toEqual([
      { kind: "argument not allowed", spelled: "--verb", name: "--verbose", option: "verbose" },
      {
        kind: "ambiguous",
        spelled: "--min",
        names: ["--min-gain", "--min-gain-limit"],
        forms: forms.slice(3, 5),
      },
      { kind: "unknown", spelled: "--x", word: "--x=1" },
    ]);
  });
});
