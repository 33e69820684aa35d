/** Changes of queue and configuration as events. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { JobId } from "@ganeti-ts/protocol";
import type { Events } from "./events.js";

/** Every change of the configuration, by kind and UUID of what changed. */
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

/** Every job that changes, with its status; changes that come close together are one event. */
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
          const [id, status, summary, opstatus] = row;
          events.add("job", JSON.stringify({ id, status, summary, opstatus }));
        }
      }
    } catch (error) {
      // Who follows has been told that the server stops.
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
