import type { Law } from "./law.js";
import { laws } from "./laws.js";
import type { Capability, NodeStage } from "./stage.js";
import { faultsOf, type TrialOptions } from "./trial.js";

/** Functions of the test runner: those of vitest and of `node:test` fit. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: {
    (title: string, body: () => Promise<void>): unknown;
    readonly skip: (title: string, body: () => Promise<void>) => unknown;
  };
}

/** Options of `describeNodeBackend`: the back end under test and its missing capabilities. */
interface ConformanceOptions {
  /** Fresh nodes for one law. */
  readonly open: () => Promise<NodeStage>;
  /** Capabilities that the back end does not have. */
  readonly lacks?: readonly Capability[];
  readonly onCall?: TrialOptions["onCall"];
  /** For a back end without `repetition`: with these names given, all other calls are made twice nevertheless. */
  readonly refusesRepetition?: TrialOptions["refusesRepetition"];
  readonly onRefusal?: TrialOptions["onRefusal"];
}

/** Capabilities that a law needs and the back end lacks. */
const lackingFor = ({ needs }: Law, lacks: readonly Capability[] = []): readonly Capability[] =>
  needs.filter((one) => lacks.includes(one));

/** Opens a stage, checks one law on it, and closes the stage. */
export async function checkLaw(
  law: Law,
  open: ConformanceOptions["open"],
  options: TrialOptions = {},
): Promise<readonly string[]> {
  const stage = await open();
  try {
    return await faultsOf(law.check, stage, options);
  } finally {
    await stage.close?.();
  }
}

/** Declares a test for each law, and one in which every call that may be repeated is made twice. */
export function describeNodeBackend(
  name: string,
  { open, lacks, onCall, refusesRepetition, onRefusal }: ConformanceOptions,
  { describe, test }: TestRunner,
): void {
  const options = {
    ...(onCall && { onCall }),
    ...(refusesRepetition && { refusesRepetition }),
    ...(onRefusal && { onRefusal }),
  };
  const isRepeated = !lacks?.includes("repetition") || refusesRepetition !== undefined;
  describe(`${name} is a node back end`, () => {
    for (const law of laws) {
      const lacking = lackingFor(law, lacks);
      for (const repeating of [false, true]) {
        if (repeating && !isRepeated) continue;
        const how = repeating ? " (every call twice)" : "";
        const body = async () => {
          const faults = await checkLaw(law, open, { repeating, ...options });
          if (faults.length > 0) throw new Error(`${law.title}\n${faults.join("\n")}`);
        };
        if (lacking.length === 0) test(`${law.title}${how}`, body);
        // Shown as skipped, with what the back end has declared that it lacks.
        else test.skip(`${law.title}${how} [lacks ${lacking.join(", ")}]`, body);
      }
    }
  });
}
