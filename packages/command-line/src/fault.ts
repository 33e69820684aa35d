/** Faults of a command line, with the texts of Ganeti's Python programs. */
import type { OptionForm } from "./option-form.js";

/**
 * `spelled` is the option as written, without its argument: `-t`, `--te`. `name` is its full name: `-t`,
 * `--text`.
 */
export type Fault<Option> =
  /** `word`: with its argument, if it has one. */
  | { readonly kind: "unknown"; readonly spelled: string; readonly word: string }
  | {
      readonly kind: "ambiguous";
      readonly spelled: string;
      /** All names with this beginning, with dashes, in the order of the options. */
      readonly names: readonly string[];
      readonly forms: readonly OptionForm<Option>[];
    }
  | {
      readonly kind: "argument missing" | "argument not allowed";
      readonly spelled: string;
      readonly name: string;
      readonly option: Option;
    };

/** Text of Python's optparse, which Ganeti's gnt programs and daemons print. */
export function optparseText(fault: Fault<unknown>): string {
  switch (fault.kind) {
    case "unknown":
      return `no such option: ${fault.spelled}`;
    case "ambiguous":
      return `ambiguous option: ${fault.spelled} (${fault.names.toSorted().join(", ")}?)`;
    case "argument missing":
      return `${fault.name} option requires 1 argument`;
    case "argument not allowed":
      return `${fault.name} option does not take a value`;
  }
}
