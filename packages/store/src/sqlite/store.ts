/** Job store of one process: steps are transactions of one file. */

import {
  type Change,
  type Claim,
  type DeadWorker,
  type JobRow,
  type JobStore,
  LeaseLostError,
  type News,
  type Selection,
} from "@ganeti-ts/job-queue";
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import { type Clock, isFinalized, systemClock } from "@ganeti-ts/protocol";
import Database from "libsql";
import { othersTurn } from "../event-loop.js";
import { jobOfText, ruleOfText, type StoredEntry } from "../rows/documents.js";
import { writeStatements, writesOf } from "./change-writes.js";
import { otherWork } from "./other-work.js";
import { type Ownership, takeOwnership } from "./ownership.js";
import { migrate } from "./schema.js";
import { Statements } from "./statements.js";
import { type Write, Writer, WriterLostError } from "./writer.js";

/** Options of `openSqliteStore`. */
interface SqliteOptions {
  /** Clock for the timestamps of jobs. */
  readonly clock?: Pick<Clock, "wallMicros">;
  /** Time (ms) from the end of a job until the log of changes is emptied; default 5 s. */
  readonly truncateMs?: number;
}

/**
 * Opens the file, which is created if missing, for this process alone. Every step is one transaction in
 * write-ahead mode, written by a thread, and on disk before it is acknowledged or read; commands that arrive meanwhile share
 * the next one.
 * Overwritten data leaves the file, and `truncateMs` after the end of a job the log of changes as well.
 * @throws Error if another process has the file, or a newer program made it
 */
export function openSqliteStore(path: string, options: SqliteOptions = {}): SqliteStore {
  const ownership = takeOwnership(path);
  try {
    const database = new Database(path, { timeout: turnMs });
    database.pragma("journal_mode = WAL");
    migrate(database);
    const { clock = systemClock, truncateMs = 5000 } = options;
    // Secrets of jobs leave the file when they leave their rows.
    const pragmas = ["synchronous = NORMAL", "secure_delete = ON"];
    const writer = new Writer({ path, pragmas, statements: writeStatements, isSynced: true });
    return new SqliteStore(database, { ownership, writer, clock, truncateMs });
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** Maximum time (ms) to wait for another connection that writes to the file. */
const turnMs = 10_000;

/** A row of table `job`. */
interface StoredJob {
  readonly id: number;
  readonly status: string;
  readonly archived: number;
  readonly worker: number | null;
  readonly fence: number | null;
  readonly cancel: number;
  readonly document: string;
}

interface StoredQueue {
  readonly serial: number;
  readonly live_count: number;
  readonly last_worker: number;
  readonly last_gone: number;
  readonly drained: number;
  readonly running_max: number;
  readonly size_max: number | null;
}

/** Parts of a store. */
interface StoreParts {
  readonly ownership: Ownership;
  readonly writer: Writer;
  readonly clock: Pick<Clock, "wallMicros">;
  readonly truncateMs: number;
}

/** The job queue of one process in a SQLite file. */
class SqliteStore implements JobStore {
  readonly claim: Claim;
  readonly shared = false;
  readonly leaseMs = Infinity;
  readonly #database: Database.Database;
  readonly #ownership: Ownership;
  readonly #writer: Writer;
  readonly #sql: Statements;
  readonly #clock: Pick<Clock, "wallMicros">;
  #isFirst = true;
  /** Past processes whose jobs have not been released, by number. */
  readonly #dead = new Map<number, DeadWorker>();
  readonly #truncateMs: number;
  #truncation: NodeJS.Timeout | undefined;
  /** Ends when the last step is on disk, or has failed. */
  #written: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #serial: number;
  #liveCount: number;

  constructor(database: Database.Database, parts: StoreParts) {
    const { ownership, writer, clock, truncateMs } = parts;
    this.#writer = writer;
    this.#truncateMs = truncateMs;
    this.#database = database;
    this.#ownership = ownership;
    this.#clock = clock;
    this.#sql = new Statements(database);
    database.prepare("UPDATE queue SET last_worker = last_worker + 1").run();
    const queue = this.#queue();
    this.claim = { worker: queue.last_worker, fence: 1 };
    this.#serial = queue.serial;
    this.#liveCount = queue.live_count;
  }

  leaseLeftMs(): number {
    return Infinity;
  }

  async step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    await otherWork();
    await this.#written;
    this.#mustBeOpen();
    const changes = decide(this.#news([...wanted()]));
    if (changes.length > 0) {
      const written = this.#write(changes);
      this.#written = written.catch(() => {});
      await written;
    }
    for (const change of changes) {
      if (change.kind === "fence") this.#dead.set(change.dead.worker, fencedOf(change.dead));
      if (change.kind === "bury") this.#dead.delete(change.dead.worker);
    }
    this.#isFirst = false;
  }

  async read(ids: readonly JobId[]): Promise<readonly JobRow[]> {
    const rows: JobRow[] = [];
    let opcodes = opcodesPerTurn;
    for (const id of ids) {
      // A client that queries in a loop must not block everything else.
      if (opcodes >= opcodesPerTurn) {
        opcodes = 0;
        await othersTurn();
        this.#mustBeOpen();
      }
      const row = this.#sql.ofOneState(() => this.#row(id));
      opcodes += row?.job?.opcodes.length ?? 1;
      if (row !== undefined) rows.push(row);
    }
    await this.#onDisk();
    return rows;
  }

  async list(selection: Selection): Promise<readonly JobId[]> {
    this.#mustBeOpen();
    const range = this.#sql.idRange.get() as { first: number | null; last: number | null };
    const ids: JobId[] = [];
    for (let at = range.first ?? 1; at <= (range.last ?? 0); at += idsPerTurn) {
      if (at !== range.first) await othersTurn();
      this.#mustBeOpen();
      for (const { id } of this.#sql.list(selection, at, at + idsPerTurn - 1))
        ids.push(id as JobId);
    }
    await this.#onDisk();
    return ids;
  }

  /** There are no other writers. */
  onNews(): void {}

  async close(busy = false): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#truncation);
    await this.#written;
    if (!busy && this.#dead.size === 0) {
      await this.#writer.write([["bury", [this.claim.worker]]]).catch(() => undefined);
    }
    // Fails without its thread.
    if (this.#writer.failure === undefined) await this.#writer.truncate();
    await this.#writer.close();
    this.#database.close();
    this.#ownership.release();
  }

  /** Empties the log of changes a while after this; if a reader prevents it, a while later again. */
  #truncateSoon(): void {
    this.#truncation ??= setTimeout(async () => {
      this.#truncation = undefined;
      // The failure of the thread is reported by the next step.
      const isEmpty = await this.#writer.truncate().catch(() => true);
      if (!isEmpty && !this.#isClosed) this.#truncateSoon();
    }, this.#truncateMs).unref();
  }

  #news(wanted: readonly JobId[]): News {
    const rows = wanted.flatMap((id): [JobId, JobRow][] => {
      const row = this.#row(id);
      return row === undefined ? [] : [[id, row]];
    });
    const always = {
      nowMicros: this.#clock.wallMicros(),
      serial: this.#serial,
      liveCount: this.#liveCount,
      wanted: new Map(rows),
    };
    if (this.#isFirst) return { ...always, ...this.#everything() };
    return { jobs: [], dead: [...this.#dead.values()], fenced: [], ...always };
  }

  /** News for a new process; earlier ones that hold jobs, or have not left in an orderly way, are dead. */
  #everything(): Pick<News, "jobs" | "finished" | "dead" | "fenced" | "settings" | "rules"> {
    const queue = this.#queue();
    const jobs = (this.#sql.unfinished.all() as StoredJob[]).map((row) => this.#rowOf(row));
    for (let worker = queue.last_gone + 1; worker < this.claim.worker; worker++) {
      this.#dead.set(worker, { worker, fence: 1, fenced: false });
    }
    for (const { claim } of jobs) {
      if (claim !== null) this.#dead.set(claim.worker, { ...claim, fenced: false });
    }
    return {
      jobs,
      finished: this.#sql.finished.all() as Pick<JobRow, "id" | "status">[],
      dead: [...this.#dead.values()],
      fenced: [],
      settings: {
        drained: queue.drained === 1,
        runningMax: queue.running_max,
        sizeMax: queue.size_max,
      },
      rules: (this.#sql.rules.all() as { document: string }[]).map((row) =>
        ruleOfText(row.document),
      ),
    };
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new LeaseLostError("the store has been closed");
    const cause = this.#writer.failure;
    // The file may have steps that the disk does not have.
    if (cause !== undefined) throw new LeaseLostError(cause.message, { cause });
  }

  /** The step in progress may have been read before it is on disk. */
  async #onDisk(): Promise<void> {
    await this.#written;
    this.#mustBeOpen();
  }

  #queue(): StoredQueue {
    return this.#database.prepare("SELECT * FROM queue").get() as StoredQueue;
  }

  #row(id: JobId): JobRow | undefined {
    const row = this.#sql.job.get(id) as StoredJob | undefined;
    return row === undefined ? undefined : this.#rowOf(row);
  }

  #rowOf(row: StoredJob): JobRow {
    const log = this.#sql.log.all(row.id) as StoredEntry[];
    const claim = { worker: row.worker ?? 0, fence: row.fence ?? 0 };
    return {
      id: row.id as JobId,
      status: row.status as JobStatus,
      archived: row.archived === 1,
      claim:
        row.worker === null ? null : { ...claim, ...(row.cancel === 1 ? { cancel: true } : {}) },
      job: jobOfText(row.document, log, this.#sql.patches(row.id)),
    };
  }

  /** Writes all changes or none. */
  async #write(changes: readonly Change[]): Promise<void> {
    let serial = this.#serial;
    let newCount = 0;
    for (const change of changes) {
      if (change.kind === "serial") serial = change.serial;
      if (change.kind === "job" && change.isNew) newCount++;
    }
    const writes = changes.flatMap(writesOf);
    if (serial !== this.#serial || newCount > 0) writes.push(["counts", [serial, newCount]]);
    const changed = await this.#writer.write(writes).catch((cause) => {
      if (!(cause instanceof WriterLostError)) throw cause;
      throw new LeaseLostError(cause.message, { cause });
    });
    this.#serial = serial;
    this.#liveCount += newCount - archivedOf(writes, changed);
    if (changes.some((change) => change.kind === "job" && isFinalized(change.status))) {
      this.#truncateSoon();
    }
  }
}

/** Number of rows that the statement has changed. */
const archivedOf = (writes: readonly Write[], changed: readonly number[]): number =>
  writes.reduce((sum, [name], at) => sum + (name === "archive" ? (changed[at] as number) : 0), 0);

/** Number of opcodes of jobs read, and of ids listed, before other work gets its turn. */
const opcodesPerTurn = 128;
const idsPerTurn = 4096;

const fencedOf = ({ worker, fence }: Claim): DeadWorker => ({ worker, fence, fenced: true });
