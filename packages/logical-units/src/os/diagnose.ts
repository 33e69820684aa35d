/**
 * OP_OS_DIAGNOSE and OP_EXT_STORAGE_DIAGNOSE: operating systems and storage providers over all
 * nodes.
 */

import { queryResource } from "@ganeti-ts/cluster-queries";
import type { Json } from "@ganeti-ts/protocol";
import { queryFault } from "../query/query.js";
import { wrongInput } from "../unit/refusals.js";
import type { Unit, World } from "../unit/unit.js";

export const osDiagnose: Unit<"OP_OS_DIAGNOSE"> = {
  opcode: "OP_OS_DIAGNOSE",
  locks: () => [],
  run: ({ output_fields, names }, world) =>
    rowsOf(world, "os", output_fields, allOf(anyName(names), ...shownOnly(output_fields))),
};

export const extStorageDiagnose: Unit<"OP_EXT_STORAGE_DIAGNOSE"> = {
  opcode: "OP_EXT_STORAGE_DIAGNOSE",
  locks: () => [],
  run: ({ output_fields, names }, world) =>
    rowsOf(world, "extstorage", output_fields, anyName(names)),
};

const anyName = (names: readonly string[]): Json =>
  names.length === 0 ? null : ["|", ...names.map((name) => ["=", "name", name])];

/** Queries that do not request the fields hidden, blacklisted or valid get only usable systems. */
const shownOnly = (fields: readonly string[]): Json[] => [
  ...["hidden", "blacklisted"]
    .filter((field) => !fields.includes(field))
    .map((field) => ["!", ["?", field]]),
  ...(fields.includes("valid") ? [] : [["?", "valid"]]),
];

function allOf(...filters: readonly Json[]): Json {
  const given = filters.filter((filter) => filter !== null);
  return given.length === 0 ? null : ["&", ...given];
}

/**
 * Values without status; null for missing ones. @throws PrereqError for unknown fields and
 * providers
 */
async function rowsOf(
  world: World,
  kind: "os" | "extstorage",
  fields: readonly string[],
  filter: Json,
): Promise<Json> {
  const { nodes, lease, signal } = world;
  const now = world.config.snapshot;
  const result = await queryResource(
    { now, nodes, caller: { lease, signal }, architecture: ["", ""] },
    ...([kind, fields, filter] as const),
  ).catch((error) => {
    throw queryFault(error);
  });
  const unknown = result.fields.filter(({ kind: known }) => known === "unknown");
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(", ");
    wrongInput(`Unknown output fields selected: ${names}`);
  }
  return result.data.map((row) => row.map(([, value]) => (value ?? null) as Json));
}
