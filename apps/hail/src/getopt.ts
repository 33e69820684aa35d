/** Command lines parsed by the rules of Ganeti's htools, with the fault texts of Haskell's GetOpt. */
import { type Fault, type Occurrence, type OptionForm, readWords } from "@ganeti-ts/command-line";
import type { Option } from "./option.js";
import { optionRows } from "./usage.js";

export interface Words<Settings> {
  readonly occurrences: readonly Occurrence<Option<Settings>>[];
  readonly operands: readonly string[];
  /** One text per fault, each ending in a newline; unknown options come last. */
  readonly faults: readonly string[];
}

/**
 * `extensions` are options that the original program does not have. An abbreviated name matches one of them
 * only if it matches none of `options`, so that every command line of the original keeps its meaning.
 */
export function getopt<Settings>(
  argv: readonly string[],
  options: readonly Option<Settings>[],
  extensions: readonly Option<Settings>[] = [],
): Words<Settings> {
  const forms = [
    ...options.map(formOf),
    ...extensions.map((option) => ({ ...formOf(option), yields: true })),
  ];
  const { occurrences, operands, faults } = readWords(argv, forms, { dashEndsCluster: true });
  const unknown = faults.filter(({ kind }) => kind === "unknown");
  const others = faults.filter(({ kind }) => kind !== "unknown");
  return { occurrences, operands, faults: [...others, ...unknown].map(faultText) };
}

const formOf = <Settings>(option: Option<Settings>): OptionForm<Option<Settings>> => {
  const { short, long, argument } = option;
  const kind = argument === undefined ? "none" : argument.optional ? "optional" : "required";
  return { option, short, long: [long], argument: kind };
};

function faultText(fault: Fault<Option<never>>): string {
  switch (fault.kind) {
    case "unknown":
      return `unrecognized option \`${fault.word}'\n`;
    case "ambiguous": {
      const rows = optionRows(fault.forms.map(({ option }) => option));
      return `option \`${fault.spelled}' is ambiguous; could be one of:\n${rows}`;
    }
    case "argument missing":
      return `option \`${fault.spelled}' requires an argument ${fault.option.argument?.name}\n`;
    case "argument not allowed":
      return `option \`${fault.spelled}' doesn't allow an argument\n`;
  }
}
