/** Effects of a unit outside of the configuration: calls to nodes, and lines of its job's log. */
import { ExecError, type PrereqCode, PrereqError } from "@ganeti-ts/job-queue";
import {
  failed,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCallValue,
} from "@ganeti-ts/node-calls";
import { type Json, type LogType, roundHalfEven } from "@ganeti-ts/protocol";

/** The nodes, and the lease in whose name they are called. */
export interface Calling extends NodeCaller {
  readonly nodes: NodeBackend;
}

/** A killed job, or one whose worker has lost its lease, makes no further calls. */
export const ask = async <Name extends NodeCallName>(
  { nodes, lease, signal }: Calling,
  node: string,
  name: Name,
  args: NodeCallArguments<Name>,
): Promise<NodeAnswer<NodeCallValue<Name>>> =>
  signal.aborted ? failed("Call was given up") : nodes.call(node, name, args, { lease, signal });

/** The value of the answer. @throws ExecError with the text and the node's message */
export function valueOrFail<T>(answer: NodeAnswer<T>, text: string): T {
  if (answer.ok) return answer.value;
  throw new ExecError(`${text}: ${answer.message}`);
}

/** Like `valueOrFail`, for checks: throws a PrereqError. */
export function valueOrRefuse<T>(
  answer: NodeAnswer<T>,
  text: string,
  code: PrereqCode = "environment_error",
): T {
  if (answer.ok) return answer.value;
  throw new PrereqError(code, `${text}: ${answer.message}`);
}

/** An object with a job log. */
export interface Logged {
  /** Appends a line; lines keep their order and are durable before the job's result is. */
  log(message: Json, type?: LogType): void;
}

export const info = (world: Logged, text: string): void => world.log(` - INFO: ${text}`);

/** With an empty text only the hint is logged. */
export function warn(world: Logged, text: string, hint?: string): void {
  if (text !== "") world.log(` - WARNING: ${text}`);
  if (hint !== undefined) world.log(`      Hint: ${hint}`);
}

/**
 * Reports the UUID of a new object, which survives renames. The entry has a type of its own,
 * because Ganeti has none for this.
 */
export const created = (
  world: Logged,
  kind: "instance" | "node" | "group" | "network",
  { name, uuid }: { readonly name?: string | undefined; readonly uuid: string },
): void => world.log(`Created ${kind} ${name ?? "without a name"}, UUID ${uuid}`, "created");

export const step = (world: Logged, current: number, total: number, text: string): void =>
  world.log(`STEP ${current}/${total} ${text}`);

export interface MaybeDryRun {
  readonly dry_run?: boolean | undefined;
}

/** Whether only checks were requested; logs that the operation ends here if so. */
export function isDryRun(world: Logged, { dry_run = false }: MaybeDryRun): boolean {
  if (dry_run) info(world, "dry-run mode requested, not actually executing the operation");
  return dry_run;
}

/** `1d 2h 0m 5s`. */
export function secondsText(seconds: number): string {
  const parts: string[] = [];
  let rest = roundHalfEven(seconds);
  if (rest > 0) {
    for (const [unit, size] of timeUnits) {
      const count = Math.floor(rest / size);
      rest -= count * size;
      if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
    }
  }
  return [...parts, `${rest}s`].join(" ");
}

const timeUnits = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
] as const;
