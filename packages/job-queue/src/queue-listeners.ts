/** Registered listeners to changes of the queue. */
import type { JobId } from "@ganeti-ts/protocol";
import type { Settings } from "./stores/store.js";

/** Listeners of one queue: to changes of jobs, and of rules or settings. */
export class QueueListeners {
  readonly #ofJobs = new Set<(changed: ReadonlySet<JobId>) => void>();
  readonly #ofRules = new Set<() => void>();
  #settingsTold: Settings | undefined;

  /** Returns a function that stops the reports. */
  ofJobs(listener: (changed: ReadonlySet<JobId>) => void): () => void {
    this.#ofJobs.add(listener);
    return () => void this.#ofJobs.delete(listener);
  }

  /** Returns a function that stops the reports. */
  ofRules(listener: () => void): () => void {
    this.#ofRules.add(listener);
    return () => void this.#ofRules.delete(listener);
  }

  tell(changed: ReadonlySet<JobId>, rulesChanged: boolean, settings: Settings): void {
    if (changed.size > 0) for (const listener of this.#ofJobs) listener(changed);
    if (!rulesChanged && settings === this.#settingsTold) return;
    this.#settingsTold = settings;
    for (const listener of this.#ofRules) listener();
  }
}
