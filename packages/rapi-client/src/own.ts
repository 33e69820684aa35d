/** Resources of this project's server only, below `/ganeti-ts/1`. */
import type { Explanation, JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type ServerEvent, serverEvents } from "./events.js";
import type { ParametersOf } from "./parameters.js";
import type { Reading } from "./reading.js";

/** Cause that prevents a job from running: as text for people, with its kind for programs. */
const Hindrance = z.looseObject({ kind: z.string(), text: z.string() });
/** One reason why a job does not run. */
export type Hindrance = z.infer<typeof Hindrance>;

const said = { allocator: z.string(), info: z.string() };
const Moved = z.looseObject({ name: z.string(), nodes: z.array(z.string()) });

/** Number of instances that fit, the nodes of each, and in `figures` the reasons for the end. */
const Capacity = z.looseObject({
  ...said,
  count: z.int(),
  placed: z.array(z.looseObject({ name: z.string(), nodes: z.array(z.string()) })),
  figures: z.looseObject({}),
});
/** Answer of `Own.capacity`. */
export type Capacity = z.infer<typeof Capacity>;

/** Moves that balance a group, their opcodes, and in `figures` the scores. */
const Balance = z.looseObject({
  ...said,
  moved: z.array(Moved),
  jobs: z.array(z.array(z.looseObject({ OP_ID: z.string() }))),
  figures: z.looseObject({}),
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

/** Options of `Own.events`. */
export interface Following extends Reading {
  /** The id of the last event received. */
  readonly since?: string;
}

/** Calls that only the server of this project answers. */
export interface Own {
  /** Causes that prevent a job from running; empty for running and ended jobs. */
  why(id: JobId, options?: Reading): Promise<readonly Hindrance[]>;
  /**
   * Nodes for such an instance now, with all candidates and the reasons why they are worse. Only the outline
   * of the answer is validated; for all details use the schema `Explanation` of `@ganeti-ts/protocol`.
   */
  explain(wanted: PlannedInstance, options?: Reading): Promise<Explanation>;
  capacity(wanted: PlannedInstance, options?: Reading): Promise<Capacity>;
  balance(options?: Balancing): Promise<Balance>;
  /**
   * Events from now on, or since a given event, as they happen; until the server stops or the signal is
   * aborted. To resume, pass the id of the last event.
   */
  events(options?: Following): AsyncIterable<ServerEvent>;
}

export const ownOf = (caller: Caller): Own => {
  const base = "/ganeti-ts/1";
  return {
    why: (id, options) => caller.call("GET", `${base}/jobs/${id}/why`, z.array(Hindrance), options),
    explain: (body, options) =>
      caller.call("POST", `${base}/explain`, ExplanationOutline, { body, ...options }),
    capacity: (body, options) =>
      caller.call("POST", `${base}/capacity`, Capacity, { body, ...options }),
    balance: ({ group, movesMax, ...options } = {}) =>
      caller.call("GET", `${base}/balance`, Balance, {
        query: { group, "max-moves": movesMax },
        ...options,
      }),
    events: ({ since, ...options } = {}) =>
      serverEvents(caller.stream(`${base}/events`, { query: { since }, ...options })),
  };
};
