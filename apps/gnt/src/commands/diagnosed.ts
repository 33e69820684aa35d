/** Diagnoses of operating systems and storage providers on all nodes. */
import type { Json } from "@ganeti-ts/protocol";
import type { Invocation } from "../invocation.js";
import { runOpcode } from "../jobs/follow.js";

/** The fields of each of them. */
export const diagnosed = async <Row>(
  invocation: Invocation,
  OP_ID: "OP_OS_DIAGNOSE" | "OP_EXT_STORAGE_DIAGNOSE",
  fields: readonly string[],
) =>
  (await runOpcode(invocation, {
    OP_ID,
    output_fields: fields,
    names: [],
  })) as readonly Row[];

/** The rows as objects, for documents. */
export const asObjects = (
  rows: readonly (readonly unknown[])[],
  fields: readonly string[],
): readonly Readonly<Record<string, Json>>[] =>
  rows.map((row) => Object.fromEntries(fields.map((name, at) => [name, row[at] as Json])));

/**
 * Names by which operating systems can be requested: `debian+stable`, `debian+testing`; without
 * variants only `debian`.
 */
export async function osNames(invocation: Invocation): Promise<string[]> {
  type Row = readonly [name: string, variants: readonly string[]];
  const listed = await diagnosed<Row>(invocation, "OP_OS_DIAGNOSE", ["name", "variants"]);
  return listed.flatMap(([name, variants]) =>
    variants.length === 0 ? [name] : variants.map((variant) => `${name}+${variant}`),
  );
}
