/** Jobs and rules from the short form in which the vectors write them. */
import { type FilterPredicate, FilterRule, JobId, type Json } from "@ganeti-ts/protocol";
import type { FilterableJob } from "../src/index.js";

export interface ShortJob {
  readonly id: number;
  /** Names of its opcodes. */
  readonly ops: readonly string[];
  readonly priority?: number;
  /** Entries of the first opcode's trail: texts, or source and text. */
  readonly reasons?: readonly (string | readonly string[])[];
  /** The same entries for every opcode. */
  readonly reasonsOfEach?: readonly string[];
  readonly depends?: readonly number[];
}

export interface ShortRule {
  readonly priority: number;
  readonly watermark: number;
  readonly predicates: readonly unknown[];
  readonly action: unknown;
  /** A letter is enough. */
  readonly uuid?: string;
}

export function aJob({ id, ops, priority = 0, ...given }: ShortJob): FilterableJob {
  const inputs = ops.map((name, at): Json => {
    const reasons = given.reasonsOfEach ?? (at === 0 ? (given.reasons ?? []) : []);
    return {
      OP_ID: name,
      depends: at === 0 && given.depends ? given.depends.map((on) => [on, []]) : null,
      reason: reasons.map((entry) =>
        typeof entry === "string" ? ["gnt:user", entry, 1n] : [entry[0] ?? "", entry[1] ?? "", 1n],
      ),
    };
  });
  return { id: JobId.parse(id), priority, inputs };
}

/** Rules without a uuid get one by their place. */
export function someRules(rules: readonly ShortRule[]): FilterRule[] {
  return rules.map(({ uuid, ...rule }, place) =>
    FilterRule.parse({
      ...rule,
      predicates: rule.predicates as FilterPredicate[],
      uuid: aUuid(uuid?.codePointAt(0) ?? place),
      reason_trail: [["gnt:user", "because", 1n]],
    }),
  );
}

export function aUuid(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
