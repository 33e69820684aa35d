/** Resources of this project's server only, below `/ganeti-ts/1`. */
import type { Explanation, FilterExpression, JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type ServerEvent, serverEvents } from "./events.js";
import type { NewRule } from "./filters.js";
import type { ParametersOf } from "./parameters.js";
import { type Plans, plansOf } from "./plans.js";
import { Table } from "./queries.js";
import type { Reading } from "./reading.js";

/** Cause that prevents a job from running: as text for people, with its kind for programs. */
const Hindrance = z.looseObject({ kind: z.string(), text: z.string() });
/** One reason why a job does not run. */
export type Hindrance = z.infer<typeof Hindrance>;

const said = { allocator: z.string(), info: z.string(), figures: z.looseObject({}) };
const Moved = z.looseObject({ name: z.string(), nodes: z.array(z.string()) });

/** Number of instances that fit, the nodes of each, and in `figures` the reasons for the end. */
const Capacity = z.looseObject({
  ...said,
  count: z.int(),
  placed: z.array(Moved),
});
/** Answer of `Own.capacity`. */
export type Capacity = z.infer<typeof Capacity>;

/** Moves that balance a group, their opcodes, and in `figures` the scores. */
const Balance = z.looseObject({
  ...said,
  moved: z.array(Moved),
  jobs: z.array(z.array(z.looseObject({ OP_ID: z.string() }))),
});
/** Answer of `Own.balance`. */
export type Balance = z.infer<typeof Balance>;

/**
 * The parts of an explanation that all readers need. The full schema, `Explanation` of the protocol package,
 * would add 5 % to a page, and would refuse additions of newer servers.
 */
const ExplanationOutline = z.looseObject({
  request: z.string(),
  success: z.boolean(),
  info: z.string(),
  instances: z.array(
    z.looseObject({
      instance: z.string(),
      to: z.array(z.string()),
      groups: z.array(z.looseObject({ group: z.string() })),
      choice: z.looseObject({ text: z.string() }).nullable(),
      suggestions: z.array(z.looseObject({ text: z.string() })),
    }),
  ),
}) as unknown as z.ZodType<Explanation>;

/** A hypothetical instance: sizes may be text, `"10g"`. */
export type PlannedInstance = ParametersOf<"OP_CLUSTER_CAPACITY">;

/** Options of `Own.balance`. */
export interface Balancing extends Reading {
  /** Name or UUID; required if several groups have nodes. */
  readonly group?: string;
  readonly movesMax?: number;
}

/** Seconds and microseconds since the epoch. */
const Timestamp = z.tuple([z.int(), z.int()]);

const counts = { running: z.int(), queued: z.int() };

/** Unfinished jobs by the filter rule that applies to them, and by limit. */
const RuleEffects = z.looseObject({
  rules: z.record(z.string(), z.looseObject(counts)),
  buckets: z.array(z.looseObject({ text: z.string(), limit: z.int(), ...counts })),
  limit: z.int(),
  ...counts,
});
/** Answer of `Own.ruleEffects`. */
export type RuleEffects = z.infer<typeof RuleEffects>;

/** Jobs that a rule catches or would catch, or the faults for which it could not be stored. */
const RulePreview = z.looseObject({
  faults: z.array(z.looseObject({ predicate: z.int().nullable(), text: z.string() })),
  ...{ watermark: z.int(), open_count: z.int(), ended_count: z.int(), ended_looked: z.int() },
  caught: z.array(
    z.looseObject({
      id: z.int(),
      status: z.string(),
      open: z.boolean(),
      summary: z.array(z.string()),
      received_ts: Timestamp.nullable(),
      earlier: z.string().nullable(),
    }),
  ),
});
/** Answer of `Own.previewRule`. */
export type RulePreview = z.infer<typeof RulePreview>;

/** A job with its user, reasons, and the jobs that led to it. */
const AuditedJob = z.looseObject({
  kind: z.literal("job"),
  ...{ id: z.int(), status: z.string(), summary: z.array(z.string()), archived: z.boolean() },
  ...{ received_ts: Timestamp.nullable(), end_ts: Timestamp.nullable() },
  ...{ user: z.string().nullable(), why: z.array(z.string()), causes: z.array(z.int()) },
  reasons: z.array(z.looseObject({ source: z.string(), text: z.string(), time: z.number() })),
});

/** A login, a cancellation, a change of a filter rule, or another action that is no job. */
const AuditedAction = z.looseObject({
  kind: z.literal("action"),
  ...{ id: z.int(), time: Timestamp },
  ...{ user: z.string().nullable(), address: z.string().nullable() },
  ...{ action: z.string(), object: z.string(), done: z.boolean(), text: z.string() },
});

/** Part of the audit, newest first. */
const Audit = z.looseObject({
  entries: z.array(z.union([AuditedJob, AuditedAction])),
  next: z.string().nullable(),
  looked: z.int(),
  last: z.int(),
});
/** Answer of `Own.audit`. */
export type Audit = z.infer<typeof Audit>;

/** Jobs and actions that `Own.audit` returns: those that satisfy all conditions. */
export interface Audited extends Reading {
  /** Parts of texts; case is ignored. */
  readonly user?: string;
  readonly source?: string;
  readonly text?: string;
  /** Name of an instance, node or other object that it touched. */
  readonly object?: string;
  /** It, and all jobs that it led to. */
  readonly cause?: JobId;
  /** Seconds since the epoch. */
  readonly from?: number;
  readonly to?: number;
  /** Only older ones: `next` of the last answer, or the id of a job. */
  readonly before?: string | number;
}

/** Options of `Own.events`. */
export interface Following extends Reading {
  /** The id of the last event received. */
  readonly since?: string;
}

const Page = Table.extend({ next: z.string().nullable() });

/** Options of `Own.pages`. */
export interface Paging extends Reading {
  readonly filter?: FilterExpression | null;
  /** Most rows of a page: 100 if absent, at most 1 000. */
  readonly limit?: number;
  /** `next` of an earlier page: the first page is the one after it. */
  readonly after?: string;
}

/** A page of a query's rows; `next` is null after the last object. */
export type QueryPage = z.infer<typeof Page>;

const Claimed = z.looseObject({
  ...{ kind: z.string(), uuid: z.string(), job: z.int(), devices: z.int() },
  nodes: z.array(z.string()),
  instance: z.string().nullable(),
  /** Null for a job that is no longer known. */
  job_status: z.string().nullable(),
  /** Seconds since the epoch. */
  since: z.number().nullable(),
});

/** Resources that a job holds on nodes. */
export type Claimed = z.infer<typeof Claimed>;

const base = "/ganeti-ts/1";

export const ownOf = (caller: Caller) => ({
  /** Causes that prevent a job from running; empty for running and ended jobs. */
  why: (id: JobId, options?: Reading): Promise<readonly Hindrance[]> =>
    caller.call("GET", `${base}/jobs/${id}/why`, z.array(Hindrance), options),
  /** Claims of jobs: resources of nodes, held until the job's effect is in the configuration, and leftovers of ended jobs. */
  claims: (options?: Reading): Promise<readonly Claimed[]> =>
    caller.call("GET", `${base}/claims`, z.array(Claimed), options),
  /**
   * Nodes for such an instance now, with all candidates and the reasons why they are worse. Only the outline
   * of the answer is validated; for all details use the schema `Explanation` of `@ganeti-ts/protocol`.
   */
  explain: (wanted: PlannedInstance, options?: Reading): Promise<Explanation> =>
    caller.call("POST", `${base}/explain`, ExplanationOutline, { body: wanted, ...options }),
  capacity: (wanted: PlannedInstance, options?: Reading): Promise<Capacity> =>
    caller.call("POST", `${base}/capacity`, Capacity, { body: wanted, ...options }),
  balance: ({ group, movesMax, ...options }: Balancing = {}): Promise<Balance> =>
    caller.call("GET", `${base}/balance`, Balance, {
      query: { group, "max-moves": movesMax },
      ...options,
    }),
  /** Plans for maintenance and balance in more detail, and their jobs. */
  plans: plansOf(caller) as Plans,
  ruleEffects: (options?: Reading): Promise<RuleEffects> =>
    caller.call("GET", `${base}/filters`, RuleEffects, options),
  /** `uuid` is the stored rule that `rule` would replace, or that is shown without one. Nothing is changed. */
  previewRule: (
    body: { readonly uuid?: string; readonly rule?: NewRule },
    options?: Reading,
  ): Promise<RulePreview> =>
    caller.call("POST", `${base}/filters/preview`, RulePreview, { body, ...options }),
  /**
   * Rows of a query in natural order of names, page by page, each as the cluster is then. An object that keeps its name is on
   * one page; a page may have fewer rows than its limit.
   */
  async *pages(
    kind: "group" | "instance" | "network" | "node",
    fields: readonly string[],
    { filter = null, limit, after, ...options }: Paging = {},
  ): AsyncGenerator<QueryPage, void> {
    for (let place: string | null | undefined = after; place !== null; ) {
      const page: QueryPage = await caller.call("PUT", `${base}/query/${kind}`, Page, {
        body: { fields, qfilter: filter, limit, after: place },
        ...options,
      });
      yield page;
      place = page.next;
    }
  },
  /** Newest first, some thousand jobs and actions at a time: `next` is null when there are no further ones. */
  audit: ({ signal, ...query }: Audited = {}): Promise<Audit> =>
    caller.call("GET", `${base}/audit`, Audit, { query, signal }),
  /**
   * Events from now on, or since a given event, as they happen; until the server stops or the signal is
   * aborted. To resume, pass the id of the last event.
   */
  events: ({ since, ...options }: Following = {}): AsyncIterable<ServerEvent> =>
    serverEvents(caller.stream(`${base}/events`, { query: { since }, ...options })),
});

/** Calls that only the server of this project answers. */
export interface Own extends ReturnType<typeof ownOf> {}
