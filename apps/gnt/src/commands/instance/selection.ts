/** Selection of instances for a command: by names, by nodes, by tags, or all. */
import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import type { QueryKind } from "../../cluster.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** Meaning of the arguments; the flag of each selector is in `selectorOptions`. */
const selectors = [
  ...(["all", "node", "primary", "secondary", "instance"] as const),
  ...(["node-tags", "pri-node-tags", "sec-node-tags", "tags"] as const),
];
type Selector = (typeof selectors)[number];

export interface Selection {
  readonly names: readonly string[];
  /** A single instance was named, so that no strong confirmation is needed. */
  readonly isOne: boolean;
  readonly isAll: boolean;
}

/** @throws GanetiError if nothing is selected, except in an empty cluster */
export async function selectedInstances(invocation: Invocation): Promise<Selection> {
  const selector = selectorOf(invocation);
  const names = await namesOf(invocation, selector);
  if (names.length === 0 && selector !== "all") {
    throw prereqError("Selection filter does not match any instances");
  }
  return {
    names,
    isOne: selector === "instance" && names.length === 1,
    isAll: selector === "all",
  };
}

function selectorOf({ options }: Invocation): Selector {
  const given = selectors.filter((one) => options.flag(one));
  if (given.length > 1) {
    throw prereqError(
      `Only one of the options ${given.map((one) => `--${one}`).join(", ")} makes sense`,
    );
  }
  return given[0] ?? "instance";
}

async function namesOf(invocation: Invocation, selector: Selector): Promise<readonly string[]> {
  const { args } = invocation;
  switch (selector) {
    case "all": {
      if (args.length > 0) throw prereqError("Cluster filter mode takes no arguments");
      return (await rows(invocation, "instance", ["name"], null)).map(([name]) => String(name));
    }
    case "instance":
      return namedInstances(invocation, args);
    case "tags": {
      if (args.length === 0) throw prereqError("No instance tags passed");
      const tagged = args.map((tag): FilterExpression => ["=[]", "tags", tag]);
      const found = await rows(invocation, "instance", ["name"], ["|", ...tagged]);
      return found.map(([name]) => String(name));
    }
    case "node":
    case "primary":
    case "secondary":
      if (args.length === 0) throw prereqError("No node names passed");
      return onNodes(invocation, selector, anyOf("name", args));
    case "node-tags":
    case "pri-node-tags":
    case "sec-node-tags": {
      if (args.length === 0) throw prereqError("No node tags passed");
      const tagged = args.map((tag): FilterExpression => ["=[]", "tags", tag]);
      const side = {
        "node-tags": "node",
        "pri-node-tags": "primary",
        "sec-node-tags": "secondary",
      };
      return onNodes(invocation, side[selector], ["|", ...tagged]);
    }
  }
}

/** Full names in the given order; warns about unknown ones. */
async function namedInstances(
  invocation: Invocation,
  wanted: readonly string[],
): Promise<readonly string[]> {
  if (wanted.length === 0) throw prereqError("No instance names passed");
  const found = await rows(invocation, "instance", ["name", "uuid"], anyOf("name", wanted));
  const named = wanted.map(
    (one) => found.find(([name, uuid]) => uuid === one || isName(String(name), one))?.[0],
  );
  const missing = wanted.filter((_, at) => named[at] === undefined);
  if (missing.length > 0 && missing.length < wanted.length) {
    invocation.out.error(`Warning: there is no instance ${missing.join(", ")}`);
  }
  return [...new Set(named.flatMap((name) => (name === undefined ? [] : String(name))))];
}

/** The full name, or the name without the end of its domain. */
const isName = (name: string, given: string) => name === given || name.startsWith(`${given}.`);

/** By names, full or not, or by UUIDs; unknown ones do not fail the query. */
const anyOf = (field: string, wanted: readonly string[]): FilterExpression => [
  "|",
  ...wanted.flatMap((one): FilterExpression[] => [
    ["==", field, one],
    ["==", "uuid", one],
  ]),
];

async function onNodes(
  invocation: Invocation,
  side: string,
  filter: FilterExpression,
): Promise<readonly string[]> {
  const found = await rows(invocation, "node", ["name", "pinst_list", "sinst_list"], filter);
  const listed = (at: number) => found.flatMap((row) => row[at] as string[]);
  const names = [
    ...(side === "secondary" ? [] : listed(1)),
    ...(side === "primary" ? [] : listed(2)),
  ];
  return [...new Set(names)];
}

/** Values only, because these fields always have one. */
async function rows(
  { cluster }: Invocation,
  kind: QueryKind,
  fields: readonly string[],
  filter: FilterExpression,
): Promise<readonly (readonly Json[])[]> {
  const { data } = await cluster.query(kind, fields, filter);
  return data.map((row) => row.map(([, value]) => value));
}

/** @throws GanetiError if there is no such instance */
export async function ensureExists({ cluster }: Invocation, name: string): Promise<void> {
  const { data } = await cluster.query("instance", ["name"], anyOf("name", [name]));
  if (data.length > 0) return;
  throw prereqError(`Instance '${name}' does not exist`, "unknown_entity");
}
