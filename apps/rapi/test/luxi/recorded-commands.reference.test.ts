// Command lines that were recorded on a cluster of Ganeti's, run again by the same programs on ours.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { debianUnavailable, type Outcome, runPython } from "./debian.js";
import { type EqualCluster, equalCluster } from "./equal-cluster.js";
import { differences } from "./recorded-differences.js";
import { differingLines, normalised, words } from "./texts.js";

const corpus = process.env.GANETI_TS_CORPUS;
const problem =
  debianUnavailable ??
  (corpus === undefined ? "GANETI_TS_CORPUS does not name the folder of recordings" : undefined);
if (problem !== undefined) console.warn(`SKIPPED: recorded command lines: ${problem}`);

interface Recorded {
  readonly command: string;
  readonly exit: number;
  readonly file: string;
}

const folder = join(corpus ?? "", "cli");
const recorded: readonly Recorded[] =
  problem === undefined ? JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) : [];

/** Recorded output: the file has the command, its exit code, and both streams behind headings. */
function outputOf({ file, exit }: Recorded): Outcome {
  const [, streams = ""] = readFileSync(join(folder, file), "utf8").split("----- stdout\n", 2);
  const [stdout = "", stderr = ""] = streams.split("----- stderr\n", 2);
  return { status: exit, stdout, stderr };
}

describe.skipIf(problem !== undefined)("Recorded command lines", () => {
  let equal: EqualCluster;
  beforeAll(async () => {
    equal = await equalCluster();
  });
  afterAll(() => equal.end());

  const run = (command: string): Promise<Outcome> => {
    const [program = "", ...args] = words(command);
    return runPython(equal.luxi.root, program, args);
  };

  test("Debian's programs print the same on our server, but for the named differences", async () => {
    const unexplained: string[] = [];
    const differing = new Set<string>();
    let rule = "";
    let job = "";
    for (const one of recorded) {
      if (one.command === "gnt-debug delay --submit 0.2") {
        await run("gnt-debug delay --submit --no-master -n node2.example.com 8");
        const waiting = await run("gnt-debug delay --submit --no-master -n node2.example.com 1");
        job = /\d+/.exec(waiting.stdout + waiting.stderr)?.[0] ?? "";
      }
      const theirs = outputOf(one);
      // Ids that the recording cluster gave to a rule and to a job.
      const command = one.command.replace(/7834e5b1-\S+/, rule).replace(/\b160$/, job);
      const ours = await run(command);
      if (command.startsWith("gnt-filter add --priority 50")) rule = ours.stdout.trim();
      const lines = differingLines(normalised(theirs), normalised(ours));
      if (lines.length === 0) continue;
      differing.add(one.command);
      const known = differences.filter(({ commands }) => commands.test(one.command));
      const allowed = known.flatMap(({ lines }) => lines);
      const others = lines.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      if (others.length > 0) unexplained.push(`${one.file} ${one.command}`, ...others);
    }
    console.info(
      `${recorded.length - differing.size} of ${recorded.length} command lines are equal`,
    );
    expect(unexplained).toEqual([]);
    expect(recorded.length).toBe(235);
    const unused = differences.filter(
      ({ commands }) => ![...differing].some((command) => commands.test(command)),
    );
    expect(unused).toEqual([]);
  }, 900_000);
});
