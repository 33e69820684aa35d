/** What only the server of this project answers: below `/ganeti-ts/1`. */
import type { Explanation, JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type ServerEvent, serverEvents } from "./events.js";
import type { ParametersOf } from "./parameters.js";
import type { Reading } from "./reading.js";

/** What keeps a job from running: for people, and by its kind for programs. */
const Hindrance = z.looseObject({ kind: z.string(), text: z.string() });
/** One reason why a job does not run. */
export type Hindrance = z.infer<typeof Hindrance>;

const said = { allocator: z.string(), info: z.string() };
const Moved = z.looseObject({ name: z.string(), nodes: z.array(z.string()) });

/** How many fit, where each would go, and in `figures` why no more. */
const Capacity = z.looseObject({
  ...said,
  count: z.int(),
  placed: z.array(z.looseObject({ name: z.string(), nodes: z.array(z.string()) })),
  figures: z.looseObject({}),
});
/** Answer of `Own.capacity`. */
export type Capacity = z.infer<typeof Capacity>;

/** Moves that balance a group, the opcodes that carry them out, and in `figures` the scores. */
const Balance = z.looseObject({
  ...said,
  moved: z.array(Moved),
  jobs: z.array(z.array(z.looseObject({ OP_ID: z.string() }))),
  figures: z.looseObject({}),
});
/** Answer of `Own.balance`. */
export type Balance = z.infer<typeof Balance>;

/**
 * What every reader of an explanation relies on. The full schema, `Explanation` of the protocol package, would add
 * 5 % to a page, and would refuse what a newer server adds.
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

/** An instance that nobody makes: sizes may be text, `"10g"`. */
export type PlannedInstance = ParametersOf<"OP_CLUSTER_CAPACITY">;

/** Options of `Own.balance`. */
export interface Balancing extends Reading {
  /** Name or UUID; needed where several groups have nodes. */
  readonly group?: string;
  readonly movesMax?: number;
}

/** Options of `Own.events`. */
export interface Following extends Reading {
  /** The id of the last event seen. */
  readonly since?: string;
}

/** Calls that only the server of this project answers. */
export interface Own {
  /** What keeps a job from running. Nothing keeps one that runs, or has ended. */
  why(id: JobId, options?: Reading): Promise<readonly Hindrance[]>;
  /**
   * Where such an instance would go now, with every candidate and why it is worse. The outline of the answer is
   * checked; for all of its details use the schema `Explanation` of `@ganeti-ts/protocol`.
   */
  explain(wanted: PlannedInstance, options?: Reading): Promise<Explanation>;
  capacity(wanted: PlannedInstance, options?: Reading): Promise<Capacity>;
  balance(options?: Balancing): Promise<Balance>;
  /**
   * What happens from now on, or has happened since an event, as it happens; until the server stops or
   * the signal says so. Who goes on begins with the id of the last one.
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
