/** A query from its question to its table: items found, live data collected if a field needs it. */
import { ConfigError, type Snapshot } from "@ganeti-ts/config";
import type { LockRow } from "@ganeti-ts/locking";
import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import type { FilterRule, JobId, Json, NodeObject } from "@ganeti-ts/protocol";
import {
  decodeFilter,
  type Filter,
  FilterError,
  namesIn,
  planQuery,
  type QueryResult,
} from "@ganeti-ts/query";
import { collectExports } from "./export-fields.js";
import { collectExtStorage } from "./ext-storage-fields.js";
import { type FieldContext, queryFields } from "./field.js";
import { collectLive, type LiveData, type LiveNeed } from "./live-data.js";
import { collectOs } from "./os-fields.js";
import type { JobItem } from "./queue-fields.js";
import {
  configuredItems,
  type QueryItems,
  type QueryKind,
  type Resource,
  resources,
} from "./resources.js";

/** The queue, as far as queries look at it. */
export interface QueueReader {
  /**
   * A row for each id, in the order of the fields; undefined where there is no such job. No ids: all
   * that are not archived, or with `archived` really all, by id. A few rows at a time, everything else
   * having its turn in between.
   */
  query(
    ids: readonly JobId[],
    fields: readonly string[],
    options: { readonly archived: boolean },
  ): AsyncIterable<readonly (readonly Json[] | undefined)[]>;
  readonly rules: readonly FilterRule[];
  readonly settings: { readonly drained: boolean };
  /** What the lock monitor shows. */
  locks(): Promise<readonly LockRow[]>;
}

/** Sources of a query: a snapshot of the configuration and, for live fields, nodes, locks and jobs. */
export interface QueryDeps {
  readonly now: Snapshot;
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  /** Absent where nobody may ask about jobs, locks and filters. */
  readonly queue?: QueueReader | undefined;
  /** Of this machine: `["64bits", "x86_64"]`. */
  readonly architecture: readonly [bits: string, machine: string];
}

/**
 * Cost: the items (those named, else all) times the size of filter and row, and one call to each node
 * concerned if a field is live.
 *
 * @throws FilterError with Ganeti's text: filters that cannot be, unknown fields in them, names unknown.
 */
export async function queryResource(
  deps: QueryDeps,
  kind: QueryKind,
  fieldNames: readonly string[],
  qfilter: unknown,
): Promise<QueryResult> {
  const filter = decodeFilter(qfilter ?? null);
  if (kind === "job") return queryJobs(deps, fieldNames, filter);
  const { items, named } = await itemsOf(deps, kind, filter);
  const resource = resources[kind] as Resource<unknown>;
  let live: LiveData | undefined;
  const context: FieldContext = {
    now: deps.now,
    get live() {
      return live;
    },
  };
  const { title, nameField, name, missing } = resource;
  const plan = planQuery(
    {
      title,
      nameField,
      missing,
      name: (item: unknown) => name(item, deps.now),
      fields: queryFields(resource.fields, context),
    },
    fieldNames,
    named ?? filter,
  );
  const candidates = plan.candidates(items as Iterable<unknown>);
  live = await liveFor(deps, kind, plan.fieldNames, candidates);
  return plan.answer(candidates);
}

interface Found {
  readonly items: Iterable<unknown>;
  /** Instead of the filter: the same with names written out, where it holds nothing but names. */
  readonly named?: Filter;
}

async function itemsOf(
  deps: QueryDeps,
  kind: Exclude<QueryKind, "job">,
  filter: Filter,
): Promise<Found> {
  const { now, nodes, caller } = deps;
  switch (kind) {
    case "instance":
    case "node":
    case "group":
    case "network":
      return configured(now, kind, filter);
    case "export":
      return exportsOf(deps, filter);
    case "os":
      return { items: await collectOs(nodes, caller, now) };
    case "extstorage":
      return { items: await collectExtStorage(nodes, caller, now) };
    case "cluster":
      return { items: [await clusterItem(deps)] };
    case "lock":
      return { items: await queueOf(deps, kind).locks() };
    case "filter":
      return { items: queueOf(deps, kind).rules };
  }
}

/** Asked for by names alone, objects are looked up, by uuid as well; else all are looked at. */
function configured(
  now: Snapshot,
  kind: "instance" | "node" | "group" | "network",
  filter: Filter,
): Found {
  const names = namesIn(filter, resources[kind].nameField);
  if (names === undefined || names.length === 0) return { items: configuredItems(kind, now) };
  const { title, name: nameOf } = resources[kind] as Resource<unknown>;
  const items = names.map((name) => {
    const item = typeof name === "string" ? now.find(kind, name) : undefined;
    if (item !== undefined) return item;
    throw new FilterError("unknown_entity", `${title} name ${name} not found`);
  });
  return {
    items,
    named: orOfNames(
      "name",
      items.map((item) => nameOf(item, now)),
    ),
  };
}

/** Nodes are asked for their exports; by name, those alone. */
async function exportsOf({ now, nodes, caller }: QueryDeps, filter: Filter): Promise<Found> {
  const names = namesIn(filter, "node");
  const asked: NodeObject[] | undefined = names?.map((name) => {
    const node = now.findNode(String(name));
    if (node !== undefined) return node;
    throw new FilterError("unknown_entity", `Node name ${name} not found`);
  });
  const items = await collectExports(nodes, caller, asked?.length ? asked : now.nodes());
  // Several rows of one node have one name: they pass as what a filter lets through.
  return { items, ...(asked?.length ? { named: { kind: "all" } as const } : {}) };
}

async function clusterItem(deps: QueryDeps): Promise<QueryItems["cluster"]> {
  const { now, nodes, caller, architecture } = deps;
  const paused = await nodes.call(now.cluster.master_node, "get_watcher_pause", {}, caller);
  return {
    drained: deps.queue?.settings.drained ?? false,
    watcherPausedUntil: paused.ok ? paused.value : null,
    architecture,
  };
}

/**
 * Jobs of the archive are looked at if one is asked for by its id, or whether jobs are archived. All jobs are
 * judged and shown a few at a time; those asked for by their ids at once.
 */
async function queryJobs(
  deps: QueryDeps,
  fieldNames: readonly string[],
  filter: Filter,
): Promise<QueryResult> {
  const queue = queueOf(deps, "job");
  const { title, nameField, name, missing, fields } = resources.job;
  const plan = planQuery(
    {
      title,
      nameField,
      missing,
      name: (item: JobItem) => name(item, deps.now),
      fields: queryFields(fields, { now: deps.now, live: undefined }),
    },
    fieldNames,
    filter,
  );
  const names = namesIn(filter, "id");
  const asked = (names ?? []).map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  const wanted = [...new Set(["id", ...plan.fieldNames])];
  const options = { archived: fieldNames.includes("archived") };
  const noneExists = names !== undefined && asked.length === 0;
  const rows = noneExists ? [] : queue.query(asked as JobId[], wanted, options);
  const named: JobItem[] = [];
  const data: QueryResult["data"][number][] = [];
  for await (const some of rows) {
    const items = some.flatMap((row) => (row === undefined ? [] : [jobItem(wanted, row)]));
    if (names !== undefined) named.push(...items);
    else data.push(...plan.answer(plan.candidates(items)).data);
  }
  if (names !== undefined) return plan.answer(plan.candidates(named));
  return { fields: plan.answer([]).fields, data };
}

function jobItem(names: readonly string[], row: readonly Json[]): JobItem {
  const values = new Map(names.map((name, at) => [name, row[at] as Json]));
  return { id: values.get("id") as JobId, values };
}

function queueOf({ queue }: QueryDeps, kind: QueryKind): QueueReader {
  if (queue !== undefined) return queue;
  throw new ConfigError("wrong_input", `Unknown query resource '${kind}'`);
}

async function liveFor(
  { now, nodes, caller }: QueryDeps,
  kind: QueryKind,
  fieldNames: readonly string[],
  candidates: readonly unknown[],
): Promise<LiveData | undefined> {
  if (kind !== "instance" && kind !== "node") return undefined;
  const needs = needsOf(kind, fieldNames);
  if (needs.size === 0) return undefined;
  return collectLive(nodes, caller, now, {
    needs,
    nodes: kind === "node" ? (candidates as QueryItems["node"][]) : [],
    instances: kind === "instance" ? (candidates as QueryItems["instance"][]) : [],
  });
}

/** What has to be asked of nodes for these fields. */
export function needsOf(kind: QueryKind, fieldNames: readonly string[]): ReadonlySet<LiveNeed> {
  const wanted = new Set(fieldNames);
  const needs = new Set<LiveNeed>();
  for (const field of (resources[kind] as Resource<unknown>).fields) {
    if (field.needs !== undefined && wanted.has(field.definition.name)) needs.add(field.needs);
  }
  return needs;
}

const orOfNames = (field: string, names: readonly string[]): Filter => ({
  kind: "or",
  parts: names.map((value) => ({ kind: "compare", comparison: "==", field, value })),
});
