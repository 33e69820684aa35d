/** Lock table in a database: each change is a short transaction, and transactions are serialised. */
import { type Claim, LeaseLostError, leaseText } from "@ganeti-ts/job-queue";
import {
  type LockOrder,
  type LockOwner,
  type LockRowChanges,
  type LockStore,
  type LockTable,
  lockTable,
  ownerKey,
  type WaitRow,
} from "@ganeti-ts/locking";
import type { Client, QueryConfig, QueryResult } from "pg";
import { isConnectionError, resultsOf } from "./connection.js";

interface Access {
  /** @throws HaltError if the database has lost steps of the queue */
  readonly connect: () => Promise<Client>;
  readonly claim: Claim;
  readonly schema: string;
  readonly lockOrder: LockOrder | undefined;
  readonly leaseLeftMs: () => number;
}

interface Pending {
  readonly change: (table: LockTable) => unknown;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The lock table of all workers in PostgreSQL: each change is a short transaction. */
export class PostgresLockStore implements LockStore {
  /** A notification can be lost with a connection, so each manager also polls. */
  readonly pollMs = 1000;
  readonly channel: string;
  readonly #access: Access;
  readonly #listeners = new Set<(owner: LockOwner) => void>();
  readonly #pending: Pending[] = [];
  #client: Client | undefined;
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(access: Access) {
    this.#access = access;
    this.channel = `${access.schema}_locks`;
  }

  /** Changes that arrive during a transaction share the next one. */
  change<Answer>(change: (table: LockTable) => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ change, resolve, reject });
      this.#running ??= this.#loop();
    });
  }

  onGranted(listener: (owner: LockOwner) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Handles a notification: the owners whose requests were granted. */
  hear(payload: string): void {
    if (payload === "") return; // A new connection: polling finds what was missed.
    for (const owner of JSON.parse(payload) as LockOwner[]) {
      for (const listener of [...this.#listeners]) listener(owner);
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await this.#client?.end().catch(() => undefined);
  }

  async #loop(): Promise<void> {
    await undefined; // Changes requested in the same turn share a transaction.
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0);
      try {
        const answers = await this.#insist(batch);
        for (const tell of answers) tell();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  /** Repeated if the connection breaks: a change that was stored after all has no further effect. */
  async #insist(batch: readonly Pending[]): Promise<readonly (() => void)[]> {
    for (;;) {
      if (this.#isOver || this.#access.leaseLeftMs() <= 0) throw this.#lost();
      try {
        this.#client ??= await this.#access.connect();
        return await this.#transaction(this.#client, batch);
      } catch (error) {
        const isBroken = isConnectionError(error);
        if (!isBroken) await this.#client?.query("ROLLBACK").catch(() => undefined);
        if (!isBroken) throw error;
        void this.#client?.end().catch(() => undefined);
        this.#client = undefined;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #transaction(client: Client, batch: readonly Pending[]): Promise<(() => void)[]> {
    const { schema, claim, lockOrder } = this.#access;
    const [, , workers, holds, waits] = await resultsOf(client, beginning(schema));
    const { rows: standingRows } = workers as QueryResult<{
      id: string;
      fence: string;
      fenced: boolean;
    }>;
    // Includes workers that are fenced but not buried yet: they still hold their locks.
    const standing = new Map(
      standingRows.map(({ id, fence, fenced }) => [`${id}:${fence}`, fenced]),
    );
    if (standing.get(leaseText(claim)) !== false) throw this.#lost();
    const rows = {
      holds: holds?.rows ?? [],
      waits: (waits?.rows ?? []).map(({ document }) => document),
    };
    const table = lockTable(rows, lockOrder);
    for (const lease of leasesIn(table)) if (!standing.has(lease)) table.releaseLease(lease);
    const answers = batch.map((pending) => answer(table, pending));
    const changes = table.takeChanges();
    const granted = table.takeGranted();
    const queries = writes(changes, granted, this.channel);
    for (const query of queries) await client.query(query);
    await client.query(queries.length === 0 ? "ROLLBACK" : "COMMIT");
    return answers;
  }

  #lost(): LeaseLostError {
    return new LeaseLostError(`worker ${leaseText(this.#access.claim)} has lost its lease`);
  }
}

const beginning = (schema: string): string => `
  BEGIN; SELECT pg_advisory_xact_lock(hashtext('ganeti-ts locks ${schema}'));
  SELECT id, fence, fenced IS NOT NULL AS fenced FROM worker WHERE NOT gone;
  SELECT lock, owner, mode FROM lock_hold;
  SELECT document FROM lock_wait`;

/**
 * Applies a change; returns the function that delivers its result once it is stored. An error is thrown
 * before any change.
 */
function answer(table: LockTable, { change, resolve, reject }: Pending): () => void {
  try {
    const result = change(table);
    return () => resolve(result as never);
  } catch (error) {
    return () => reject(error);
  }
}

function leasesIn(table: LockTable): ReadonlySet<string> {
  const { holds, waits } = table.rows();
  return new Set([...holds, ...waits].flatMap(({ owner }) => owner.lease ?? []));
}

function writes(
  { holdsSet, holdsGone, waitsSet, waitsGone }: LockRowChanges,
  granted: readonly LockOwner[],
  channel: string,
): QueryConfig[] {
  const queries: QueryConfig[] = [];
  if (holdsGone.length > 0) {
    queries.push({
      name: "holds gone",
      text: `DELETE FROM lock_hold USING unnest($1::text[], $2::text[]) AS gone (lock, owner_key)
        WHERE lock_hold.lock = gone.lock AND lock_hold.owner_key = gone.owner_key`,
      values: [holdsGone.map(({ lock }) => lock), holdsGone.map(({ owner }) => ownerKey(owner))],
    });
  }
  // Downgraded locks make room for others, so shared rows are written first.
  for (const mode of ["shared", "exclusive"] as const) {
    const rows = holdsSet.filter((row) => row.mode === mode);
    if (rows.length === 0) continue;
    queries.push({
      name: "holds set",
      text: `INSERT INTO lock_hold (lock, owner_key, owner, mode)
        SELECT given.*, $4 FROM unnest($1::text[], $2::text[], $3::json[]) AS given
        ON CONFLICT (lock, owner_key) DO UPDATE SET mode = excluded.mode`,
      values: [
        rows.map(({ lock }) => lock),
        rows.map(({ owner }) => ownerKey(owner)),
        rows.map(({ owner }) => JSON.stringify(owner)),
        mode,
      ],
    });
  }
  if (waitsGone.length > 0) {
    queries.push({
      name: "waits gone",
      text: "DELETE FROM lock_wait WHERE owner_key = ANY($1::text[])",
      values: [waitsGone.map(ownerKey)],
    });
  }
  if (waitsSet.length > 0) queries.push(setWaits(waitsSet));
  if (granted.length > 0) {
    // A notification is limited to 8000 bytes.
    queries.push({
      name: "granted",
      text: "SELECT pg_notify($1, json_build_array(owner)::text) FROM unnest($2::json[]) AS owner",
      values: [channel, granted.map((owner) => JSON.stringify(owner))],
    });
  }
  return queries;
}

const setWaits = (rows: readonly WaitRow[]): QueryConfig => ({
  name: "waits set",
  text: `INSERT INTO lock_wait (owner_key, document)
    SELECT * FROM unnest($1::text[], $2::json[])
    ON CONFLICT (owner_key) DO UPDATE SET document = excluded.document`,
  values: [rows.map(({ owner }) => ownerKey(owner)), rows.map((row) => JSON.stringify(row))],
});
