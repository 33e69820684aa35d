/** Helpers for tests that kill our server while it drives nodes of Ganeti. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, nodeCalls } from "@ganeti-ts/node-calls/catalog";
import type { NodeExchange, ReferenceBench } from "@ganeti-ts/reference";
import { until } from "./adoption.js";
import { wordsOf } from "./traced-run.js";

/** File in which a server records its calls in flight. */
export const callsFile = (data: string): string => join(data, "calls-in-flight.jsonl");

/** Waits until all daemons are idle: they fork for each call, so only the parents are left then. */
const isQuiet = ({ processes, nodes }: ReferenceBench): boolean =>
  processes().filter((pid) => wordsOf(pid).some((word) => word.endsWith("ganeti-noded"))).length <=
  nodes.length;

/**
 * A successor waits until calls in flight must have ended, up to 15 minutes (calls-in-flight.test.ts). Here they have
 * ended, so that it need not.
 */
export async function callsAreOver(bench: ReferenceBench, data: string): Promise<void> {
  await until(() => isQuiet(bench), "the nodes are quiet", 5);
  writeFileSync(callsFile(data), "");
}

/** Calls without idempotence that were made twice. */
export function repeated(
  calls: readonly Pick<NodeExchange, "node" | "method" | "arguments">[],
): readonly string[] {
  const seen = new Set<string>();
  return calls.flatMap(({ node, method, arguments: args }) => {
    if (!(method in nodeCalls) || catalogEntry(method as NodeCallName).repeat !== "again")
      return [];
    const text = `${node} ${method} ${JSON.stringify(args)}`;
    if (seen.has(text)) return [`${text.slice(0, 300)} was called twice`];
    seen.add(text);
    return [];
  });
}
