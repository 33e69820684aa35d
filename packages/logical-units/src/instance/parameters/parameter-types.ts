/** Opcode parameters, checked and converted to the types used in the configuration. */
import type { Snapshot } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import { type Json, type ParameterValue, parseSize } from "@ganeti-ts/protocol";

export type ParameterType = "string" | "boolean" | "size" | "integer" | "number";

type Given = Readonly<Record<string, Json>>;
type Typed = Record<string, ParameterValue>;

export const beparamTypes: Readonly<Record<string, ParameterType>> = {
  maxmem: "size",
  minmem: "size",
  vcpus: "integer",
  auto_balance: "boolean",
  always_failover: "boolean",
  spindle_use: "integer",
};

/** Parameters of all hypervisors, with the types of the cluster's own values. */
export function hvparamTypes(now: Snapshot): Readonly<Record<string, ParameterType>> {
  const types: Record<string, ParameterType> = {};
  for (const parameters of Object.values(now.cluster.hvparams)) {
    for (const [name, value] of Object.entries(parameters)) {
      const kind = typeof value;
      types[name] = kind === "boolean" ? "boolean" : kind === "number" ? "integer" : "string";
    }
  }
  return types;
}

/** `memory` is an alias for both bounds and overrides them. */
export function withoutMemoryAlias({ memory, ...rest }: Given): Given {
  if (memory === undefined) return rest;
  return { ...rest, maxmem: memory, minmem: memory };
}

/**
 * Converts words and digits to booleans and numbers, and sizes to MiB; values in `untouched` stay.
 * Source: Ganeti, `utils.ForceDictType`. @throws OperationError TypeEnforcementError
 */
export function typedParameters(
  given: Given,
  types: Readonly<Record<string, ParameterType>>,
  untouched: readonly Json[] = [],
): Typed {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      if (type === undefined) throw mistyped(`Unknown parameter '${name}'`);
      if (untouched.includes(value)) return [name, value as ParameterValue];
      return [name, typed(name, value, type)];
    }),
  );
}

function typed(name: string, value: Json, type: ParameterType): ParameterValue {
  const invalid = (what: string) =>
    mistyped(`'${name}' (value ${shown(value)}) is not a valid ${what}`);
  switch (type) {
    case "string":
      if (typeof value === "string") return value;
      if (value === false || value === null) return "";
      throw invalid("string");
    case "boolean": {
      if (typeof value !== "string" || value === "") return Boolean(value);
      const word = value.toLowerCase();
      if (word !== "true" && word !== "false") throw invalid("boolean");
      return word === "true";
    }
    case "size": {
      const size = parseSize(shown(value));
      if (size === undefined) throw invalid(`size. error: ${sizeFault(shown(value))}`);
      return size;
    }
    case "integer": {
      const number = wholeNumber(value);
      if (number === undefined) throw invalid("integer");
      return number;
    }
    case "number": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      if (typeof number !== "number" || Number.isNaN(number)) throw invalid("float");
      return number;
    }
  }
}

function sizeFault(text: string): string {
  const [, unit] = /^[.\d]+\s*([a-zA-Z]+)\s*$/.exec(text) ?? [];
  const isKnown = unit === undefined || parseSize(`1${unit}`) !== undefined;
  return isKnown ? "Invalid format" : `Unknown unit: ${unit}`;
}

/** Sizes are multiples of 4 MiB. Source: Ganeti, `utils.ParseUnit`. */
export const roundedSize = (mib: number): number => Math.ceil(mib / 4) * 4;

function wholeNumber(value: Json): number | undefined {
  if (typeof value === "number") return Math.trunc(value);
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : undefined;
}

/** As Python prints it within a text. */
const shown = (value: Json): string => {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** Error for a wrong value, or for an unknown parameter. */
export const mistyped = (text: string): OperationError =>
  new OperationError("TypeEnforcementError", [text]);
