/** Lookup of objects by name. */
import type { Json } from "@ganeti-ts/protocol";
import type { QueryKind } from "../cluster.js";
import { GanetiError } from "../errors.js";
import type { Invocation } from "../invocation.js";

/** By field; null for no value. */
export type Values = Readonly<Record<string, Json>>;

/**
 * The fields, including `name`, of the named objects, or of all; sorted by name. Unknown names are
 * left out, as in Ganeti. One query per name.
 */
export async function byName(
  { cluster }: Pick<Invocation, "cluster">,
  kind: QueryKind,
  fields: readonly string[],
  names: readonly string[],
): Promise<readonly Values[]> {
  const ask = async (name: string | undefined): Promise<readonly Values[]> => {
    try {
      const filter = name === undefined ? null : (["=", "name", name] as const);
      const { data } = await cluster.query(kind, fields, filter);
      return data.map((row) =>
        Object.fromEntries(
          row.map(([status, value], at) => [fields[at] as string, status === 0 ? value : null]),
        ),
      );
    } catch (error) {
      if (name !== undefined && isUnknown(error)) return [];
      throw error;
    }
  };
  if (names.length === 0) return ask(undefined);
  const found = new Map<Json, Values>();
  for (const values of (await Promise.all(names.map(ask))).flat()) {
    found.set(values.name ?? null, values);
  }
  return [...found.values()].toSorted((a, b) => collator.compare(String(a.name), String(b.name)));
}

const isUnknown = (error: unknown): boolean =>
  error instanceof GanetiError && error.args[1] === "unknown_entity";

/** Natural order: node2 before node10. */
const collator = new Intl.Collator("en", { numeric: true });

export const sortedNames = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => collator.compare(a, b));
