// Mutated configurations of all versions, read here and by Ganeti's cfgupgrade and wconfd.
import { readFileSync } from "node:fs";
import { benchUnavailable, type Release, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { readConfigFile, writeConfigFile } from "../src/index.js";
import { seeded } from "./cluster.js";
import { type Mutation, mutations } from "./original/mutations.js";
import { type Difference, namedDifferences, rowOf } from "./original/named-differences.js";
import { differentPlaces, normalForm } from "./original/normal-form.js";
import { type File, type Part, samples } from "./original/samples.js";

/** Number of mutations for each release. */
const count = process.env.GANETI_TS_TESTS === "all" ? 2_000 : 200;

type Answer = { readonly taken: Part } | { readonly refused: string; readonly by: string };

/** Ganeti's answers; one process of its tools gives all of them. */
async function answersOf(
  version: Release["name"],
  files: readonly File[],
): Promise<readonly Answer[]> {
  const program = readFileSync(new URL("original/load.py", import.meta.url), "utf8");
  const input = files.map((file) => `${JSON.stringify(file)}\n`).join("");
  const output = await withReferenceCluster({ version, nodeCount: 1, populated: false }, (bench) =>
    bench.python(program, { input }),
  );
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** What is different for one file; `undefined` if nothing is. */
function differenceOf(mutation: Mutation, answer: Answer): Difference | undefined {
  const { sample, shape, change, file } = mutation;
  const text = JSON.stringify(file);
  const about = { sample, shape, change };
  let ours: Part;
  try {
    const options = { upgrade: true, random: seeded(), now: 1_900_000_000 };
    const { content, filters } = readConfigFile(text, options);
    ours = JSON.parse(writeConfigFile(content, filters));
  } catch (error) {
    if (!("taken" in answer)) return undefined;
    return { kind: "refused here", ...about, ganeti: "", ours: String(error) };
  }
  if ("refused" in answer) {
    const ganeti = `${answer.by}: ${answer.refused}`;
    return { kind: "taken here", ...about, ganeti, ours: "" };
  }
  const places = [...differentPlaces(normalForm(ours, text), normalForm(answer.taken, text))];
  if (places.length === 0) return undefined;
  const ganeti = places.map(([path, one, other]) => `${path}: ${one} for ${other}`).join("; ");
  return { kind: "other value", ...about, ganeti, ours: "" };
}

const lineOf = ({ kind, sample, shape, change, ganeti, ours }: Difference) =>
  `${kind}: ${shape} ${change} in ${sample}: ${ganeti}${ours}`.slice(0, 400);

describe.each(["3.0", "3.1"] as const)("Ganeti %s", (version) => {
  const problem = benchUnavailable(version);
  if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);
  const reason = problem === undefined ? "" : ` (skipped: ${problem})`;

  test.skipIf(problem !== undefined)(
    `mutated configurations are taken or refused as by Ganeti, and filled in the same way, but for the named differences${reason}`,
    async () => {
      const own = new Map([...samples()].filter(([name]) => isReadBy(version, name)));
      const whole = [...own].map(([sample, file]) => ({ sample, shape: "", change: "", file }));
      const chosen = [...whole, ...first(count, mutations(own, seeded(5)))];
      const answers = await answersOf(
        version,
        chosen.map(({ file }) => file),
      );
      expect(answers).toHaveLength(chosen.length);
      expect(answers.slice(0, whole.length).filter((answer) => "refused" in answer)).toEqual([]);
      // Both outcomes are reached.
      const taken = answers.filter((answer) => "taken" in answer).length;
      expect(taken).toBeGreaterThan(count / 4);
      expect(taken).toBeLessThan((count * 3) / 4);

      const found = chosen.flatMap((one, at) => differenceOf(one, answers[at] as Answer) ?? []);
      expect(found.filter((one) => rowOf(one) === undefined).map(lineOf)).toEqual([]);
    },
  );
});

/** Here 3.0 and 3.1 are current; each refuses or upgrades a file of the other. */
const isReadBy = (version: Release["name"], sample: string) =>
  sample === version || !sample.startsWith("3.");

function first<T>(most: number, values: Iterable<T>): readonly T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length === most) break;
    found.push(value);
  }
  return found;
}

test("each difference that the comparison accepts is a row of the documentation", () => {
  const rows = readFileSync(new URL("../docs/differences.md", import.meta.url), "utf8");
  for (const { row } of namedDifferences) expect(rows).toContain(`| ${row} |`);
});
