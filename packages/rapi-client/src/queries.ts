/** Resources below `/2/query`: arbitrary fields of any resource. */
import type { FilterExpression } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { Reading } from "./reading.js";

const Definition = z.object({
  name: z.string(),
  title: z.string(),
  kind: z.string(),
  doc: z.string(),
});
/** Definition of a field of a query's answer. */
export type QueryField = z.infer<typeof Definition>;

/** Answer of a query. */
export const Table = z.object({
  fields: z.array(Definition),
  data: z.array(z.array(z.tuple([z.int(), z.unknown()]))),
});
/** Per item and field the status, 0 for a value, and the value. */
export type QueryTable = z.infer<typeof Table>;

/** Kinds of things that can be queried. */
export type Queried =
  | ("group" | "export" | "instance" | "job")
  | ("lock" | "network" | "node" | "filter");

export const queriesOf = (caller: Caller) => ({
  /** The fields of all items that match the filter. */
  query: (
    kind: Queried,
    fields: readonly string[],
    filter: FilterExpression | null = null,
    options: Reading = {},
  ): Promise<QueryTable> =>
    caller.call("PUT", `/2/query/${kind}`, Table, {
      body: { fields, qfilter: filter },
      ...options,
    }),
  /** All fields of a resource, or the named ones. */
  queryFields: async (
    kind: Queried,
    names?: readonly string[],
    options: Reading = {},
  ): Promise<readonly QueryField[]> => {
    const answer = await caller.call(
      "GET",
      `/2/query/${kind}/fields`,
      z.object({ fields: z.array(Definition) }),
      { query: { fields: names?.join(",") }, ...options },
    );
    return answer.fields;
  },
});

/** Calls of Ganeti's query language. */
export interface Queries extends ReturnType<typeof queriesOf> {}
