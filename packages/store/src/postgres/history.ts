/** Commits that a process knows, and whether the database still has them: a promoted standby may lack the last ones. */
import { HaltError, LeaseLostError } from "@ganeti-ts/job-queue";
import type pg from "pg";

/** A commit: its number among all, and its mark, which no other commit has. */
export interface KnownCommit {
  readonly number: number;
  readonly mark: string;
}

/** The newest commit in a database, and the marks of those asked for, as far as it keeps them. */
export interface Found {
  readonly newest: number;
  readonly marks: ReadonlyMap<number, string>;
}

/** Why the database does not contain the commit; undefined if it does. `content` is what its numbers count. */
export function lossOf(
  { number, mark }: KnownCommit,
  { newest, marks }: Found,
  content: string,
): string | undefined {
  const before = `the database has gone back in time: revision ${number} of the ${content} had been committed`;
  if (number > newest) return `${before}, but it is at revision ${newest}`;
  const found = marks.get(number);
  if (found === undefined || found === mark) return undefined;
  return `${before}, but it is another one in the database, which is at revision ${newest}`;
}

/** Revision of the queue, as the beginning of a step reports it. */
interface Revision {
  readonly revision: number;
  readonly mark: string | null;
}

/** Delay (ms) before steps that were only read are made sure to be durable. */
const confirmMs = 1000;

/** Steps of the job queue that one worker knows. */
export class StepHistory {
  /** The last step that is certainly durable. */
  #acknowledged: KnownCommit | undefined;
  /** The last step that was read: the worker that made it may still wait for the disk. */
  #read: KnownCommit | undefined;
  #confirming: NodeJS.Timeout | undefined;

  constructor(acknowledged: KnownCommit | undefined) {
    this.#acknowledged = acknowledged;
  }

  get acknowledged(): KnownCommit | undefined {
    return this.#acknowledged;
  }

  acknowledge(commit: KnownCommit): void {
    this.#acknowledged = commit;
    this.#read = commit;
  }

  /** `mark` is null before the first step, and for steps of older versions. Steps of others are soon confirmed by `database`. */
  hasRead({ revision: number, mark }: Revision, database: pg.Pool) {
    if (mark === null || number <= (this.#acknowledged?.number ?? -1)) return;
    this.#read = { number, mark };
    this.#confirming ??= setTimeout(() => {
      const done = () => {
        this.#confirming = undefined;
      };
      this.#confirm(database).then(done, done);
    }, confirmMs);
    this.#confirming.unref();
  }

  /** Ends confirmations. */
  stop(): void {
    clearTimeout(this.#confirming);
  }

  async #confirm(database: pg.Pool): Promise<void> {
    const read = this.#read;
    await database.query("SELECT on_disk()");
    await this.compare(database);
    if (read !== undefined && read.number > (this.#acknowledged?.number ?? -1))
      this.#acknowledged = read;
  }

  /**
   * To be called with each new connection. @throws HaltError if a durable step is missing; LeaseLostError if only one is missing
   * that was never acknowledged: a new process, without it in memory, can go on
   */
  async compare(database: pg.Client | pg.Pool): Promise<void> {
    // As they are before the database is asked: its answer does not contain later steps.
    const [acknowledged, read] = [this.#acknowledged, this.#read];
    const known = [acknowledged, read].filter((one) => one !== undefined);
    if (known.length === 0) return;
    const { rows } = await database.query<{ newest: string; number: string; mark: string | null }>(
      `SELECT queue.revision AS newest, news.revision AS number, mark
        FROM queue LEFT JOIN news ON news.revision = ANY($1::bigint[])`,
      [known.map(({ number }) => number)],
    );
    const marks = new Map(
      rows.flatMap(({ number, mark }) => (mark === null ? [] : [[Number(number), mark]])),
    );
    const found = { newest: Number(rows[0]?.newest), marks };
    const loss = acknowledged && lossOf(acknowledged, found, "job queue");
    if (loss !== undefined) throw new HaltError("history", loss);
    const unsure = read && lossOf(read, found, "job queue");
    if (unsure !== undefined) throw new LeaseLostError(`${unsure} (never acknowledged)`);
  }
}
