/** Query of a resource: finds items, collects live data if a field needs it, and builds the table. */
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
import type { InstanceIndexes } from "./instance-indexes.js";
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

/** The part of the job queue that queries need. */
export interface QueueReader {
  /**
   * A row for each id, in the order of the fields; undefined if the job does not exist. Without ids: all jobs
   * that are not archived, or with `archived` all, by id. A few rows at a time, so that other work gets its
   * turn in between.
   */
  query(
    ids: readonly JobId[],
    fields: readonly string[],
    options: { readonly archived: boolean },
  ): AsyncIterable<readonly (readonly Json[] | undefined)[]>;
  readonly rules: readonly FilterRule[];
  readonly settings: { readonly drained: boolean };
  /** The list of the lock monitor. */
  locks(): Promise<readonly LockRow[]>;
}

/** Sources of a query: a snapshot of the configuration and, for live fields, nodes, locks and jobs. */
export interface QueryDeps {
  readonly now: Snapshot;
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  /** Absent if jobs, locks and filters cannot be queried. */
  readonly queue?: QueueReader | undefined;
  /** Architecture of this machine: `["64bits", "x86_64"]`. */
  readonly architecture: readonly [bits: string, machine: string];
  /** Kept from query to query; without them each filter is judged for all instances. */
  readonly indexes?: InstanceIndexes | undefined;
}

/**
 * Cost: the items (those named or found by an index, else all) times the size of filter and row, and one call to each
 * node concerned if a field needs live data.
 *
 * @throws FilterError with Ganeti's text, for invalid filters, unknown fields in them, and unknown names
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
  /** Replaces the filter if it contains only names, which are completed. */
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
      return configured(deps, kind, filter);
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

/** Objects selected only by name or UUID are looked up; otherwise those that an index finds, else all, are examined. */
function configured(
  { now, indexes }: QueryDeps,
  kind: "instance" | "node" | "group" | "network",
  filter: Filter,
): Found {
  const names = namesIn(filter, resources[kind].nameField);
  if (names === undefined || names.length === 0) {
    const found = kind === "instance" ? indexes?.candidates(now, filter) : undefined;
    return { items: found ?? configuredItems(kind, now) };
  }
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

/** Queries nodes for their exports; if nodes are selected by name, only those. */
async function exportsOf({ now, nodes, caller }: QueryDeps, filter: Filter): Promise<Found> {
  const names = namesIn(filter, "node");
  const asked: NodeObject[] | undefined = names?.map((name) => {
    const node = now.findNode(String(name));
    if (node !== undefined) return node;
    throw new FilterError("unknown_entity", `Node name ${name} not found`);
  });
  const items = await collectExports(nodes, caller, asked?.length ? asked : now.nodes());
  // Several rows of a node have the same name, so names are treated like a filter.
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
 * Archived jobs are included if one is selected by its id, or the filter uses the archive status. Jobs are
 * filtered and shown a few at a time; jobs selected by id all at once.
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

/** Live data of these candidates; undefined if no field needs any. */
export async function liveFor(
  { now, nodes, caller }: Pick<QueryDeps, "now" | "nodes" | "caller">,
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

/** Kinds of live data needed for these fields. */
function needsOf(kind: QueryKind, fieldNames: readonly string[]): ReadonlySet<LiveNeed> {
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
