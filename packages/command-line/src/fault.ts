/** Faults of a command line, and the texts that Ganeti's Python programs have for them. */
import type { OptionForm } from "./option-form.js";

/**
 * `spelled` is the option as it was written, without its argument: `-t`, `--te`. `name` is the full name
 * that was meant: `-t`, `--text`.
 */
export type Fault<Option> =
  /** `word`: with its argument, if it has one. */
  | { readonly kind: "unknown"; readonly spelled: string; readonly word: string }
  | {
      readonly kind: "ambiguous";
      readonly spelled: string;
      /** All that begin so, with their dashes, in the order of the options. */
      readonly names: readonly string[];
      readonly forms: readonly OptionForm<Option>[];
    }
  | {
      readonly kind: "argument missing" | "argument not allowed";
      readonly spelled: string;
      readonly name: string;
      readonly option: Option;
    };

/** The text of Python's optparse, which Ganeti's gnt programs and daemons show. */
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
