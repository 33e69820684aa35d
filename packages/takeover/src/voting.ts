/** Vote of the nodes on the master, as Ganeti's daemons hold it before they start. */
import { setTimeout as pause } from "node:timers/promises";
import type { ConfigurationContent, Snapshot } from "@ganeti-ts/config";
import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";

import type { TakeoverLog } from "./log.js";
import { NotMasterError } from "./takeover-error.js";

/** Maximum number of votes while the outcome is open, and the pause between them (ms). */
const rounds = 6;
const pauseMs = 10_000;

/** Result of a vote. */
export interface Vote {
  readonly outcome: "won" | "lost" | "open";
  /** Votes by name of the node that was named, the most first. */
  readonly votes: readonly (readonly [name: string, count: number])[];
  /** Number of nodes in the vote. */
  readonly voters: number;
}

/** Caller of calls that belong to no job. */
export const anyCaller: NodeCaller = { lease: "", signal: new AbortController().signal };

/** Asks all nodes, including offline ones, which node is the master: one call to each. */
export async function holdVote(
  nodes: NodeBackend,
  { nodes: voters }: Pick<ConfigurationContent, "nodes">,
  candidate: string,
): Promise<Vote> {
  const answers = await Promise.all(
    voters.map(({ uuid }) => nodes.call(uuid, "master_node_name", {}, anyCaller)),
  );
  const counts = new Map<string, number>();
  for (const answer of answers) {
    if (answer.ok) counts.set(answer.value, (counts.get(answer.value) ?? 0) + 1);
  }
  const votes = [...counts].sort(([, a], [, b]) => b - a);
  const own = counts.get(candidate) ?? 0;
  const silent = answers.filter(({ ok }) => !ok).length;
  const outcome =
    2 * own > voters.length ? "won" : 2 * (own + silent) > voters.length ? "open" : "lost";
  return { outcome, votes, voters: voters.length };
}

/** Why the vote was not won; undefined if it was. */
export function voteFault({ outcome, votes, voters }: Vote, candidate: string): string | undefined {
  if (outcome === "won") return undefined;
  if (outcome === "open") return "Couldn't gather voting results of enough nodes";
  const shown = votes.map(([name, count]) => `("${name}",${count})`).join(",");
  return `Voting cannot be won by ${candidate}, valid votes of ${voters} are [${shown}]`;
}

/** Resolves when a majority of nodes names this one as the master. @throws NotMasterError */
export async function beElected(
  nodes: NodeBackend,
  now: Snapshot,
  candidate: string,
  log: Pick<TakeoverLog, "warn">,
): Promise<void> {
  for (let round = 1; ; round++) {
    const vote = await holdVote(nodes, { nodes: [...now.nodes()] }, candidate);
    const fault = voteFault(vote, candidate);
    if (fault === undefined) return;
    if (vote.outcome === "lost" || round === rounds) throw new NotMasterError(fault);
    log.warn({ votes: vote.votes }, "too few nodes answer; asking again");
    await pause(pauseMs);
  }
}
