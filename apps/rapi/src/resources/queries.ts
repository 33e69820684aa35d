/** Resources below `/2/query`: any fields of any kind of object, with a filter. */
import type { QueryKind } from "@ganeti-ts/cluster-queries";
import { FilterExpression, type Json, spacedJson, writeJson } from "@ganeti-ts/protocol";
import { FilterError, type QueryResult } from "@ganeti-ts/query";
import * as z from "zod";
import { HttpFault } from "../http/fault.js";
import type { World } from "../world.js";
import { requireObject } from "./job-method.js";
import { type Call, type Resource, resource, Written } from "./resource.js";

const kinds: readonly QueryKind[] = [
  ...(["group", "export", "instance", "job", "lock", "network", "node", "filter"] as const),
];

/** Kinds that only jobs can query, with Ganeti's name in its refusal. */
const onlyInJobs: ReadonlyMap<string, string> = new Map([
  ["os", "QROs"],
  ["cluster", "QRCluster"],
]);

const Definition = z.object({
  name: z.string(),
  title: z.string(),
  kind: z.string(),
  doc: z.string(),
});
export const Table = z.object({
  fields: z.array(Definition),
  /** Per item and field its status, 0 if there is a value, and the value. */
  data: z.array(z.array(z.tuple([z.int(), z.unknown()]))),
});

/** Maximum number of columns, so that the answer to a short request does not exhaust the memory. */
const fieldsMax = 1000;

const fieldsText = { fields: "Names of fields with commas between them" };

export const queryResources: readonly Resource[] = [
  resource("/2/query/{resource}", {
    GET: {
      summary: "The named fields of all things of a kind",
      access: "read",
      query: fieldsText,
      answer: Table,
      handle: (call, world) => answer(call, world, fieldsInQuery(call), null),
    },
    PUT: {
      summary: "The named fields of all things that a filter matches",
      access: "read",
      query: fieldsText,
      body: z.object({
        fields: z.array(z.string()).optional(),
        qfilter: FilterExpression.nullish(),
        filter: FilterExpression.nullish().describe("The older name of qfilter"),
      }),
      longBody: true,
      answer: Table,
      handle: (call, world) => {
        const body = requireObject(call.body);
        const fields = body.fields ?? fieldsInQuery(call);
        return answer(call, world, fields, body.qfilter ?? body.filter ?? null);
      },
    },
  }),
  resource("/2/query/{resource}/fields", {
    GET: {
      summary: "Which fields things of a kind have",
      access: "anybody",
      query: fieldsText,
      answer: z.object({ fields: z.array(Definition) }),
      handle: (call, { objects }) => {
        const names = call.query.has("fields") ? fieldsInQuery(call) : null;
        const kind = kindOf(call, "QueryFields", [names]);
        return { fields: objects.fields(kind, names ?? undefined) };
      },
    },
  }),
];

function fieldsInQuery({ query }: Call): string[] {
  const fields = query.text("fields");
  if (fields === undefined) throw new HttpFault(400, "Missing 'fields' query argument");
  return fields.split(",").map((field) => field.trim());
}

async function answer(
  call: Call,
  { objects }: World,
  fields: Json,
  filter: Json,
): Promise<Written> {
  const kind = kindOf(call, "Query", [fields, filter]);
  if (!Array.isArray(fields)) throw unreadable(call, [fields, filter], "Unable to read list");
  refuseManyFields(fields);
  if (!fields.every((one) => typeof one === "string")) {
    throw unreadable(call, [fields, filter], "Unable to read String");
  }
  try {
    return new Written(await tableParts(await objects.query(kind, fields as string[], filter)));
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    if (error.code === "wrong_filter") throw unreadable(call, [fields, filter], error.message);
    throw faultOfFilter(error);
  }
}

/** @throws HttpFault 400 */
export function refuseManyFields(fields: readonly unknown[]): void {
  if (fields.length > fieldsMax) throw new HttpFault(400, `More than ${fieldsMax} fields`);
}

export const faultOfFilter = ({ code, message }: FilterError): HttpFault =>
  new HttpFault(code === "unknown_entity" ? 404 : 400, message);

/** Number of table values rendered before other work gets its turn. */
const valuesPerTurn = 2048;

/**
 * The table as JSON and a newline, in parts; `more` is the text of further keys, each after a comma. Values of a query may be
 * anything; those of the cluster's fields are Json.
 */
export async function tableParts(
  { fields, data }: QueryResult,
  more = "",
): Promise<readonly Uint8Array[]> {
  const rowsPerTurn = Math.max(1, Math.floor(valuesPerTurn / Math.max(1, fields.length)));
  const parts = [Buffer.from(`{"fields":${writeJson(fields)},"data":[`)];
  for (let at = 0; at < data.length; at += rowsPerTurn) {
    if (at > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const rows = data.slice(at, at + rowsPerTurn).map((row) => writeJson(row as Json));
    parts.push(Buffer.from(`${at > 0 ? "," : ""}${rows.join()}`));
  }
  parts.push(Buffer.from(`]${more}}\n`));
  return parts;
}

/** @throws HttpFault 404 for an unknown kind, 400 for one that only jobs may ask about */
function kindOf(call: Call, question: string, rest: Json[]): QueryKind {
  const name = call.names.resource as string;
  const kind = kinds.find((one) => one === name);
  if (kind !== undefined) return kind;
  const inJobs = onlyInJobs.get(name);
  if (inJobs !== undefined) {
    throw new HttpFault(400, `${question} 'ItemTypeOpCode ${inJobs}' not supported`);
  }
  const problem = `Can't parse value '${name}' as neitherQueryTypeLuxi nor QueryTypeOp`;
  throw unreadable(call, rest, problem, 404);
}

/** Fault with Ganeti's text. Ganeti answers 502, although the fault is the client's. */
const unreadable = ({ names }: Call, rest: Json[], problem: string, status: 400 | 404 = 400) =>
  new HttpFault(
    status,
    `Failed to parse request: Cannot convert value '${spacedJson([names.resource, ...rest])}', error: ${problem}`,
  );

/** The first row of a query about one object, by field; missing values are null. */
export async function queryOne(
  { objects }: World,
  kind: QueryKind,
  name: string,
  fields: readonly string[],
): Promise<Readonly<Record<string, Json>>> {
  try {
    const { data } = await objects.query(kind, fields, ["==", "name", name]);
    const [row] = data;
    if (row === undefined) throw new HttpFault(404);
    return Object.fromEntries(fields.map((field, at) => [field, (row[at]?.[1] ?? null) as Json]));
  } catch (error) {
    if (error instanceof FilterError && error.code === "unknown_entity") throw new HttpFault(404);
    throw error;
  }
}
