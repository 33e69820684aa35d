/**
 * Assumption that no other worker has changed anything since the last step of this one: a step then needs one
 * round trip. The database refuses the step if another one came between.
 */
import type { Change, News } from "@ganeti-ts/job-queue";
import type { StepStart } from "./step-news.js";

/** Interval (ms) at which a worker asks for news nevertheless: dead workers change no revision. */
const askAgainMs = 500;

/** The state that the next step builds on, if no other worker has changed it. */
interface Known {
  readonly revision: number;
  readonly serial: number;
  readonly live: number;
  /** The database's time (µs), and the local time (ms) at which it was read. */
  readonly nowMicros: number;
  readonly readAt: number;
}

/** Keeps the last known state, and decides whether to build on it without asking. */
export class Assumption {
  readonly #clock: () => number;
  #known: Known | undefined;
  #askedAt = -Infinity;
  /** Whether a reason to ask first has come up since the last time. */
  #isDoubtful = true;

  /** `clock`: milliseconds that only ever increase. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Makes the next step ask first: others have, or may have, changed something. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Called before a step that asks. */
  asking(): void {
    this.#isDoubtful = false;
    this.#known = undefined;
  }

  /** Learns the answer of the database. A worker that is not alone with the queue keeps asking. */
  asked(start: StepStart): void {
    const now = this.#clock();
    this.#askedAt = now;
    const isAlone = start.dead === null && start.fenced === null && !start.jobs?.some(hasRows);
    if (!isAlone) this.#isDoubtful = true;
    this.#known = {
      revision: start.revision,
      serial: start.serial,
      live: start.live,
      nowMicros: start.now,
      readAt: now,
    };
  }

  /** Applies a step of this worker that has been committed, at `nowMicros` if that is known. */
  changed(changes: readonly Change[], nowMicros?: number): void {
    if (this.#known === undefined || changes.length === 0) return;
    let { serial, live } = this.#known;
    for (const change of changes) {
      if (change.kind === "serial") serial = change.serial;
      else if (change.kind === "archive") live -= change.ids.length;
      else if (change.kind === "job" && change.isNew) live++;
    }
    const time = nowMicros === undefined ? {} : { nowMicros, readAt: this.#clock() };
    this.#known = { ...this.#known, ...time, revision: this.#known.revision + 1, serial, live };
  }

  /** The news of a step that does not ask; undefined if it has to. */
  news(): (News & { readonly revision: number }) | undefined {
    const now = this.#clock();
    if (this.#known === undefined || this.#isDoubtful || now - this.#askedAt >= askAgainMs) {
      return undefined;
    }
    const { revision, serial, live, nowMicros, readAt } = this.#known;
    return {
      revision,
      nowMicros: nowMicros + Math.round((now - readAt) * 1000),
      serial,
      liveCount: live,
      jobs: [],
      wanted: new Map(),
      dead: [],
      fenced: [],
    };
  }
}

const hasRows = (rows: readonly unknown[] | null): boolean => (rows?.length ?? 0) > 0;
