/** Feeds: changes of queue and configuration, as events. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import type { Events } from "./events.js";

/** Feeds every change of the configuration, by kind and UUID of the changed object. */
export function feedChanges(config: Configuration, events: Events): void {
  config.onChange(({ after, changes }) => {
    const list = changes.map((change) =>
      change.kind === "cluster"
        ? { type: "cluster", change: "put" }
        : {
            type: change.type,
            change: change.kind,
            uuid: change.kind === "put" ? change.object.uuid : change.uuid,
          },
    );
    events.add("config", JSON.stringify({ serial: after.serial, changes: list }));
  });
}

/**
 * Maximum number of opcodes shown one by one in an event, because a job with many opcodes changes
 * often.
 */
const shownMax = 32;

/** An event of a job with the values of its fields `id`, `status`, `summary` and `opstatus`. */
function jobEvent([id, status, summary, opstatus]: readonly Json[]): JsonObject {
  const statuses = opstatus as readonly string[];
  const shown = { id, status, summary, opstatus } as JsonObject;
  if (statuses.length <= shownMax) return shown;
  const more: Record<string, number> = {};
  for (const one of statuses.slice(shownMax)) more[one] = (more[one] ?? 0) + 1;
  const first = <Value>(list: readonly Value[]) => list.slice(0, shownMax);
  return { ...shown, summary: first(summary as Json[]), opstatus: first(statuses), more };
}

/** Feeds every changed job with its status; changes in quick succession are one event. */
export function feedJobs(queue: JobQueue, events: Events, warn: (error: unknown) => void): void {
  let changed = new Set<JobId>();
  let isTelling = false;
  const tell = async () => {
    isTelling = true;
    try {
      while (changed.size > 0) {
        const ids = [...changed];
        changed = new Set();
        for (const row of await queue.query(ids, ["id", "status", "summary", "opstatus"])) {
          if (row === undefined) continue;
          events.add("job", JSON.stringify(jobEvent(row)));
        }
      }
    } catch (error) {
      // Followers have been notified that the server stops.
      if (queue.isOpen) warn(error);
    } finally {
      isTelling = false;
    }
  };
  queue.onChange((ids) => {
    for (const id of ids) changed.add(id);
    if (!isTelling) void tell();
  });
}

/** Feeds that filter rules or the queue's limits may have changed. */
export function feedRules(queue: JobQueue, events: Events): void {
  queue.onRules(() => events.add("rules", "{}"));
}
