/** Results of allocators, as values. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";

/** The allocator that answered, and its message. */
export interface Said {
  readonly allocator: string;
  readonly info: string;
}

/** Result of placing one instance. */
export interface Allocation extends Said {
  /** Names, primary first. */
  readonly nodes: readonly string[];
}

/** Result of placing several instances together. */
export interface MultiAllocation extends Said {
  readonly placed: readonly { readonly name: string; readonly nodes: readonly string[] }[];
  readonly failed: readonly { readonly name: string; readonly reason: string | null }[];
}

/** Result of moving instances away: their new nodes, and the opcodes for the moves. */
export interface Evacuation extends Said {
  readonly moved: readonly {
    readonly name: string;
    readonly group: string;
    readonly nodes: readonly string[];
  }[];
  readonly failed: readonly { readonly name: string; readonly reason: string | null }[];
  /** Opcodes of the allocator's answer. */
  readonly jobs: readonly (readonly JsonObject[])[];
}

/** Result of balancing a group. */
export interface Balance extends Evacuation {
  /** Scores, moves and job sets: the last element of the answer. */
  readonly figures: JsonObject;
}

/** Result of counting how many instances of a size fit. */
export interface Capacity extends Said {
  readonly count: number;
  readonly placed: MultiAllocation["placed"];
  /** Reasons why no further instance fits: the last element of the answer. */
  readonly figures: JsonObject;
}

// Elements of answers.

export type Placed = [name: string, nodes: string[]];
export type Failed = [name: string, reason: string | null];

export const placedOf = ([name, nodes]: Placed) => ({ name, nodes });
export const failedOf = (failed: string | Failed) =>
  typeof failed === "string"
    ? { name: failed, reason: null }
    : { name: failed[0], reason: failed[1] };

/** Converts the three lists of an answer to an evacuation. */
export function evacuationOf({ result, ...said }: Said & { readonly result: Json }): Evacuation {
  const [moved, failed, jobs] = result as unknown as [
    [name: string, group: string, nodes: string[]][],
    Failed[],
    JsonObject[][],
  ];
  return {
    ...said,
    moved: moved.map(([name, group, nodes]) => ({ name, group, nodes })),
    failed: failed.map(failedOf),
    jobs,
  };
}
