/** Parser of the command line: options of the server with unparsed values. */
import { type OptionForm, optparseText, readWords } from "@ganeti-ts/command-line";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

const textOptions = {
  port: "p",
  address: "b",
  interface: "i",
  "max-clients": undefined,
  "ssl-key": "K",
  "ssl-cert": "C",
  "ssl-chain": undefined,
  "data-dir": undefined,
  store: undefined,
  lease: undefined,
  "trusted-proxy": undefined,
  init: undefined,
  "init-with": undefined,
  backup: undefined,
  restore: undefined,
  twin: undefined,
  "twin-figures": undefined,
  shadow: undefined,
  "shadow-interval": undefined,
  "iallocator-search-path": undefined,
  nodes: undefined,
  groups: undefined,
  luxi: undefined,
  "luxi-group": undefined,
  "confd-port": undefined,
  "confd-address": undefined,
  "confd-key": undefined,
  watcher: undefined,
  "figures-age": undefined,
  "ganeti-data": undefined,
  "ganeti-root": undefined,
  "ganeti-host": undefined,
  "prepare-node": undefined,
  "release-node": undefined,
  "primary-ip": undefined,
  replicate: undefined,
} as const;

const flagOptions = {
  "no-ssl": undefined,
  "accept-loss": undefined,
  "require-authentication": undefined,
  "anonymous-reads": undefined,
  "public-metrics": undefined,
  "init-only": undefined,
  "accept-host-key": undefined,
  "leave-cluster": undefined,
  readd: undefined,
  "print-unit": undefined,
  "over-nodes": undefined,
  adopt: undefined,
  "take-over": undefined,
  upgrade: undefined,
  "hand-back": undefined,
  drop: undefined,
  "stay-drained": undefined,
  check: undefined,
  "no-voting": undefined,
  confd: undefined,
  insecure: undefined,
  "shadow-once": undefined,
  "shadow-json": undefined,
  foreground: "f",
  debug: "d",
  help: "h",
  version: undefined,
} as const;

type TextOption = keyof typeof textOptions;
type FlagOption = keyof typeof flagOptions;

const forms: readonly OptionForm<string>[] = [
  ...Object.entries(textOptions).map(([name, short]) => formOf(name, short, "required")),
  ...Object.entries(flagOptions).map(([name, short]) => formOf(name, short, "none")),
];

function formOf(
  name: string,
  short: string | undefined,
  argument: "required" | "none",
): OptionForm<string> {
  return { option: name, short, long: [name], argument };
}

/** Options that were given, as words. */
export type Given = { readonly [Name in TextOption]?: string } & {
  readonly [Name in FlagOption]?: true;
};

/** @throws UsageError for words that are not options */
export function given(args: readonly string[]): Given {
  const { occurrences, operands, faults } = readWords(args, forms);
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(optparseText(fault));
  if (operands.length > 0) throw new UsageError(`unexpected argument '${operands[0]}'`);
  return Object.fromEntries(occurrences.map(({ option, text = true }) => [option, text]));
}

interface WholeRange {
  /** Default value. */
  readonly usual: number;
  readonly min: number;
  readonly max?: number;
}

/** A whole number between two bounds. @throws UsageError */
export function whole(
  name: string,
  given: string | undefined,
  { usual, min, max = Number.MAX_SAFE_INTEGER }: WholeRange,
): number {
  if (given === undefined) return usual;
  const value = Number(given);
  if (/^-?\d+$/.test(given) && value >= min && value <= max) return value;
  throw new UsageError(`${name}: '${given}' is no number from ${min} to ${max}`);
}
