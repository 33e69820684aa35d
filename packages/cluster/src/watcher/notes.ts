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

/** Repeatable actions on an instance, each with its own limit. */
export type Attempted = "restart" | "cleanup";

export const noNotes: WatcherNotes = { node: {}, instance: {} };

/** After this time (s) without a new attempt, attempts are forgotten. */
const expirySeconds = 8 * 3600;

/** Texts of notes that were read or written, cached because most rounds change nothing. */
const texts = new WeakMap<WatcherNotes, string>();

/**
 * Parses the notes; undefined if the text is invalid. Without a text the notes are empty.
 *
 * @param latest notes of the group's latest round, which are returned if the text is unchanged
 */
export function readNotes(
  text: string | undefined,
  latest?: WatcherNotes,
): WatcherNotes | undefined {
  if (text === undefined) return noNotes;
  if (latest !== undefined && texts.get(latest) === text) return latest;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  const notes = WatcherNotes.safeParse(value);
  if (notes.success) texts.set(notes.data, text);
  return notes.success ? notes.data : undefined;
}

export function writeNotes(notes: WatcherNotes): string {
  const text = texts.get(notes) ?? writeJson(notes as Json);
  texts.set(notes, text);
  return text;
}

export const attemptsOf = (notes: WatcherNotes, name: string, what: Attempted): number =>
  notes.instance[name]?.[`${what}_count`] ?? 0;

/** Notes with one more attempt, made now. */
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

/** Notes without the attempts on an instance. */
export function withoutInstance(notes: WatcherNotes, name: string): WatcherNotes {
  const { [name]: _, ...instance } = notes.instance;
  return { ...notes, instance };
}

/** Notes with these boot ids, by node. */
export function withBootIds(
  notes: WatcherNotes,
  bootIds: ReadonlyMap<string, string>,
): WatcherNotes {
  if (bootIds.size === 0) return notes;
  const fresh = Array.from(bootIds, ([node, bootid]) => [node, { bootid }] as const);
  return { ...notes, node: { ...notes.node, ...Object.fromEntries(fresh) } };
}

/** Notes without removed instances and nodes and without expired attempts; the same object if nothing changes. */
export function currentNotes(
  notes: WatcherNotes,
  names: { readonly instances: ReadonlySet<string>; readonly nodes: ReadonlySet<string> },
  nowSeconds: number,
): WatcherNotes {
  const isRecent = ({ restart_when = 0, cleanup_when = 0 }: Attempts) =>
    Math.max(restart_when, cleanup_when) >= nowSeconds - expirySeconds;
  const node = kept(notes.node, (name) => names.nodes.has(name));
  const instance = kept(
    notes.instance,
    (name, attempts) => names.instances.has(name) && isRecent(attempts),
  );
  return node === notes.node && instance === notes.instance ? notes : { node, instance };
}

/** The current entries; the same object if all are current. */
function kept<Entry>(
  entries: Record<string, Entry>,
  isCurrent: (name: string, entry: Entry) => boolean,
): Record<string, Entry> {
  const all = Object.entries(entries);
  const current = all.filter(([name, entry]) => isCurrent(name, entry));
  return current.length === all.length ? entries : Object.fromEntries(current);
}
