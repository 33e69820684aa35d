/** The watcher's notes on one node group, in the format of Ganeti's file `watcher.GROUPUUID.data`. */
import { type Json, parseJson, writeJson } from "@ganeti-ts/protocol";
import * as z from "zod";

const Attempts = z.object({
  restart_count: z.int().min(0).optional(),
  /** Seconds since the epoch. */
  restart_when: z.number().optional(),
  cleanup_count: z.int().min(0).optional(),
  cleanup_when: z.number().optional(),
});

/** Boot ids of nodes and attempts on instances, by name. */
export const WatcherNotes = z.object({
  node: z.record(z.string(), z.object({ bootid: z.string() })),
  instance: z.record(z.string(), Attempts),
});
export type WatcherNotes = z.infer<typeof WatcherNotes>;
type Attempts = z.infer<typeof Attempts>;

/** Repeatable actions on an instance, each with a limit of its own. */
export type Attempted = "restart" | "cleanup";

export const noNotes: WatcherNotes = { node: {}, instance: {} };

/** After this time (s) without a new attempt, attempts are forgotten. */
const expirySeconds = 8 * 3600;

/** Undefined if the text is no such notes; without a text there is nothing noted. */
export function readNotes(text: string | undefined): WatcherNotes | undefined {
  if (text === undefined) return noNotes;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  const notes = WatcherNotes.safeParse(value);
  return notes.success ? notes.data : undefined;
}

export const writeNotes = (notes: WatcherNotes): string => writeJson(notes as Json);

export const attemptsOf = (notes: WatcherNotes, name: string, what: Attempted): number =>
  notes.instance[name]?.[`${what}_count`] ?? 0;

/** With one more attempt, made now. */
export function withAttempt(
  notes: WatcherNotes,
  name: string,
  what: Attempted,
  nowSeconds: number,
): WatcherNotes {
  const attempts: Attempts = {
    ...notes.instance[name],
    [`${what}_count`]: attemptsOf(notes, name, what) + 1,
    [`${what}_when`]: nowSeconds,
  };
  return { ...notes, instance: { ...notes.instance, [name]: attempts } };
}

/** Without what was tried with an instance. */
export function withoutInstance(notes: WatcherNotes, name: string): WatcherNotes {
  const { [name]: _, ...instance } = notes.instance;
  return { ...notes, instance };
}

/** With these boot ids, by node. */
export function withBootIds(
  notes: WatcherNotes,
  bootIds: ReadonlyMap<string, string>,
): WatcherNotes {
  if (bootIds.size === 0) return notes;
  const fresh = Array.from(bootIds, ([node, bootid]) => [node, { bootid }] as const);
  return { ...notes, node: { ...notes.node, ...Object.fromEntries(fresh) } };
}

/** Without instances and nodes that are gone, and without attempts that were long ago. */
export function currentNotes(
  notes: WatcherNotes,
  names: { readonly instances: ReadonlySet<string>; readonly nodes: ReadonlySet<string> },
  nowSeconds: number,
): WatcherNotes {
  const isRecent = ({ restart_when = 0, cleanup_when = 0 }: Attempts) =>
    Math.max(restart_when, cleanup_when) >= nowSeconds - expirySeconds;
  return {
    node: Object.fromEntries(Object.entries(notes.node).filter(([name]) => names.nodes.has(name))),
    instance: Object.fromEntries(
      Object.entries(notes.instance).filter(
        ([name, attempts]) => names.instances.has(name) && isRecent(attempts),
      ),
    ),
  };
}
