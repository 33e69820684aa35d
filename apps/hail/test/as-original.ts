// Tests that a program prints and writes what Ganeti's does: recorded answers, which hold everywhere,
// and fresh ones where the original is installed.
//
// A case is a command line and the seed of a cluster of the test kit, which the command line calls
// `cluster`. Recorded cases are lines of JSON in reference/NAME.txt, made by
// `RECORD=1 npx vitest run test/NAME.test.ts`; the digest is that of the cluster.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { loadCluster, writeClusterText } from "@ganeti-ts/htools";
import { randomMessage } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import type { Program } from "../src/program.js";
import { runIn } from "./fake-ports.js";
import { type Printed, runOriginal, whatIsMissing } from "./original.js";

interface Case {
  readonly seed: number;
  readonly argv: readonly string[];
}
type Recorded = Case & Printed & { readonly digest: string };

interface Counts {
  /** Per command line. */
  readonly recorded?: number;
  readonly fresh?: number;
}

/** `FRESH_CASES=200 FRESH_SEED=17` looks at more, or once more at the same. */
const firstFresh = Number(process.env.FRESH_SEED ?? Math.floor(Date.now() / 1000) % 1e6) * 1000;

/**
 * @param files further inputs, by name
 * @param textOf makes the cluster of a case
 */
export function describeAsOriginal<Settings>(
  program: Program<Settings>,
  commandLines: readonly (readonly string[])[],
  { recorded = 3, fresh = 1 }: Counts = {},
  files: Readonly<Record<string, string>> = {},
  textOf: (seed: number) => string = clusterText,
): void {
  const { name } = program;
  const record = new URL(`reference/${name}.txt`, import.meta.url);
  const inputs = (seed: number) => ({ ...files, cluster: textOf(seed) });
  const digestOf = (seed: number) =>
    createHash("sha256")
      .update(JSON.stringify(inputs(seed)))
      .digest("hex")
      .slice(0, 8);

  if (process.env.RECORD !== undefined) {
    const lines = commandLines.flatMap((argv, at) => {
      const known: string[] = [];
      for (let seed = 100 * at; known.length < recorded; seed++) {
        const printed = runOriginal(name, argv, inputs(seed));
        if (printed === undefined) continue;
        known.push(`${JSON.stringify({ seed, argv, digest: digestOf(seed), ...printed })}\n`);
      }
      return known;
    });
    writeFileSync(record, lines.join(""));
  }

  const answers = existsSync(record)
    ? readFileSync(record, "utf8")
        .trim()
        .split("\n")
        .map((line): Recorded => JSON.parse(line))
    : [];

  const ours = async ({ seed, argv }: Case): Promise<Printed> => {
    const { exitCode, stdout, stderr, written } = await runIn(
      program,
      { files: inputs(seed) },
      ...argv,
    );
    return { exitCode, stdout, stderr, written };
  };

  describe(`${name} as recorded`, () => {
    test("the recorded cases match the clusters that the test kit makes now; otherwise record them again", () => {
      expect(answers).toHaveLength(recorded * commandLines.length);
      expect(answers.filter(({ seed, digest }) => digestOf(seed) !== digest)).toEqual([]);
    });
    test.each(answers)(
      "$argv with cluster $seed",
      async ({ seed, argv, digest: _, ...printed }) => {
        expect(await ours({ seed, argv })).toEqual(printed);
      },
    );
  });

  const missing = whatIsMissing(name);
  if (missing)
    console.warn(`\n*** SKIPPED: ${name} is not compared with the original: ${missing} ***\n`);
  const count = Number(process.env.FRESH_CASES ?? fresh);
  describe.skipIf(missing)(`${name} as the original, seeds from ${firstFresh}`, () => {
    test.each(commandLines.map((argv) => ({ argv })))(
      "$argv",
      { timeout: 600_000 + 30_000 * count },
      async ({ argv }) => {
        for (let seed = firstFresh; seed < firstFresh + count; seed++) {
          const printed = runOriginal(name, argv, inputs(seed));
          if (printed !== undefined) expect(await ours({ seed, argv }), `${seed}`).toEqual(printed);
        }
      },
    );
  });
}

/** Up to seven nodes in up to three groups, with everything that instances may be. */
export const clusterText = (seed: number): string =>
  writeClusterText(loadCluster(randomMessage(seed, "relocate").message.cluster));
