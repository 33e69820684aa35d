/** Helpers for tests that kill our server while it drives nodes of Ganeti. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, nodeCalls } from "@ganeti-ts/node-calls/catalog";
import type { NodeExchange, ReferenceBench } from "@ganeti-ts/reference";
import { wordsOf } from "./traced-run.js";

/** Waits for a condition. @throws Error if it is not met within the limit */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  limitMs = 600_000,
): Promise<void> {
  for (const end = Date.now() + limitMs; !(await isSo()); await sleep(5)) {
    if (Date.now() > end) throw new Error(`${what} did not come about`);
  }
}

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
  await until("quiet on the nodes", () => isQuiet(bench));
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
