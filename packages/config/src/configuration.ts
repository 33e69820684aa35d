/** Configuration of the cluster in one process: the newest snapshot, and changes to it. */
import { invariant, type Random, type TimeOfDay } from "@ganeti-ts/protocol";
import { checkClaims } from "./claims-in-snapshot.js";
import { ConfigError } from "./config-error.js";
import { faultsOfChanges } from "./consistency/consistency.js";
import { conversionChanges } from "./former-claims.js";
import type { ConfigChange, ConfigurationContent } from "./objects.js";
import { objectTypes, putCluster } from "./objects.js";
import { contentOfRows, headRow, newsOfRows, rowOf, rowsOfContent } from "./rows.js";
import { Snapshot } from "./snapshot.js";
import { keyOf, stamped } from "./stamping.js";
import type { ConfigStore } from "./store.js";

/** Ports of `Configuration.open`. */
interface ConfigurationPorts {
  readonly clock: TimeOfDay;
  readonly random: Random;
}

/** Computes a change from a snapshot; pure, because it is called again after a conflict. */
export type Decide<T> = (now: Snapshot) => {
  readonly changes: readonly ConfigChange[];
  readonly value: T;
};

/** Origin of a change: refused if that worker of the job queue has lost its lease. */
interface Author {
  readonly lease: string;
}

/** A step from one snapshot to a later one. */
export interface ConfigurationStep {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly changes: readonly ConfigChange[];
  /**
   * Inconsistencies in the changed objects; the change is stored nevertheless, so that they can be reported
   * and repaired.
   */
  readonly faults: readonly string[];
}

interface Wish {
  readonly decide: Decide<unknown>;
  readonly lease: string | undefined;
  readonly resolve: (done: { snapshot: Snapshot; value: unknown }) => void;
  readonly reject: (error: unknown) => void;
}

/** Stores the initial configuration. @throws ConfigError `wrong_state` if there is one already */
export async function createConfiguration(
  store: ConfigStore,
  content: ConfigurationContent,
): Promise<void> {
  const serial = Math.max(content.serial, 1);
  const rows = rowsOfContent({ ...content, serial });
  if ((await store.commit({ expectedSerial: 0, serial, rows })) !== "done") {
    throw new ConfigError("wrong_state", "Cluster is already initialised");
  }
}

/** The configuration of a cluster: an immutable snapshot, and changes that are stored before they are seen. */
export class Configuration {
  /** Source of UUIDs, addresses and secrets of this cluster. */
  readonly random: Random;
  readonly #store: ConfigStore;
  readonly #clock: TimeOfDay;
  readonly #listeners = new Set<(step: ConfigurationStep) => void>();
  readonly #wishes: Wish[] = [];
  #snapshot: Snapshot;
  #isDraining = false;
  #refreshing: Promise<Snapshot> | undefined;
  /** Starts when `#refreshing` has ended, for calls made meanwhile. */
  #refreshedAgain: Promise<Snapshot> | undefined;

  private constructor(store: ConfigStore, ports: ConfigurationPorts, snapshot: Snapshot) {
    this.#store = store;
    this.#clock = ports.clock;
    this.random = ports.random;
    this.#snapshot = snapshot;
  }

  /** @throws ConfigError `wrong_state` if nothing is stored yet: see `createConfiguration` */
  static async open(store: ConfigStore, ports: ConfigurationPorts): Promise<Configuration> {
    const configuration = new Configuration(store, ports, await loaded(store));
    if (store.shared) {
      // If reading fails now, the next change or notification reads again.
      store.onNews(() => void configuration.refresh().catch(() => undefined));
    }
    return configuration;
  }

  /** The newest snapshot known to this process. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * Makes the change returned by `decide`; durable when it resolves. Changes are serialised; those waiting
   * for the same turn are written together, each computed from the result of the previous one. @throws errors
   * of `decide`; ConfigError `lease_lost`
   */
  change<T>(decide: Decide<T>, who?: Author): Promise<{ snapshot: Snapshot; value: T }> {
    return new Promise((resolve, reject) => {
      const wish = { decide, lease: who?.lease, resolve, reject } as Wish;
      this.#wishes.push(wish);
      void this.#drain();
    });
  }

  /** Reads the commits of others. */
  refresh(): Promise<Snapshot> {
    if (this.#refreshing === undefined) return this.#startRefresh();
    // The refresh in progress may have read the store before a change that the caller knows of.
    this.#refreshedAgain ??= this.#refreshing
      .catch(() => undefined)
      .then(() => {
        this.#refreshedAgain = undefined;
        return this.#refreshing ?? this.#startRefresh();
      });
    return this.#refreshedAgain;
  }

  #startRefresh(): Promise<Snapshot> {
    this.#refreshing = this.#catchUp().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Reports every new snapshot, by any process; returns a function that stops the reports. */
  onChange(listener: (step: ConfigurationStep) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#wishes.length > 0) {
        await this.#store.gathering?.();
        await this.#turn(this.#nextBatch());
      }
    } finally {
      this.#isDraining = false;
    }
  }

  /** All waiting changes, up to the first one under a different lease. */
  #nextBatch(): Wish[] {
    const lease = this.#wishes[0]?.lease;
    const end = this.#wishes.findIndex((wish) => wish.lease !== lease);
    return this.#wishes.splice(0, end < 0 ? this.#wishes.length : end);
  }

  /** One commit for all of them. */
  async #turn(wishes: readonly Wish[]): Promise<void> {
    try {
      await this.#carryOut(wishes);
    } catch (error) {
      for (const wish of wishes) wish.reject(error);
    }
  }

  async #carryOut(batch: readonly Wish[]): Promise<void> {
    for (let isFresh = !this.#store.shared; ; isFresh = true) {
      const before = this.#snapshot;
      const now = this.#clock.wallMicros() / 1e6;
      const serial = before.serial + 1;
      let after = before;
      const all: ConfigChange[] = [];
      const decided: (() => void)[] = [];
      let isDoubtful = false;
      for (const wish of batch) {
        try {
          const { changes, value } = wish.decide(after);
          const effective = stamped(after, changes, now);
          if (effective.length > 0) after = stepped(after, effective, { serial, mtime: now });
          else isDoubtful = true;
          all.push(...effective);
          decided.push(() => wish.resolve({ snapshot: this.#snapshot, value }));
        } catch (error) {
          isDoubtful = true;
          decided.push(() => wish.reject(error));
        }
      }
      // A refusal, or an empty change, may be due to an outdated snapshot.
      if (isDoubtful && !isFresh && (await this.refresh()) !== before) continue;
      if (all.length > 0) {
        const outcome = await this.#commit(before, after, all, batch[0]?.lease);
        if (outcome === "conflict") {
          await this.refresh();
          continue;
        }
        if (outcome === "lease lost") {
          throw new ConfigError("lease_lost", `worker ${batch[0]?.lease} has lost its lease`);
        }
        this.#advance(before, after, all);
      }
      for (const settle of decided) settle();
      return;
    }
  }

  #commit(before: Snapshot, after: Snapshot, all: readonly ConfigChange[], lease?: string) {
    const { serial } = after;
    // Changes that were decided together may change the same object, the cluster above all.
    const last = new Map(all.map((change) => [keyOf(change), change]));
    return this.#store.commit({
      expectedSerial: before.serial,
      serial,
      rows: [headRow(after, serial), ...Array.from(last.values(), (one) => rowOf(one, serial))],
      ...(lease === undefined ? {} : { lease }),
    });
  }

  #advance(before: Snapshot, after: Snapshot, changes: readonly ConfigChange[]): void {
    if (after.serial <= this.#snapshot.serial) return;
    this.#snapshot = after;
    if (this.#listeners.size === 0) return;
    const step = { before, after, changes, faults: faultsOfChanges(before, after, changes) };
    for (const listener of this.#listeners) listener(step);
  }

  async #catchUp(): Promise<Snapshot> {
    const before = this.#snapshot;
    const news = await this.#store.changesSince(before.serial);
    if (news === "too old") {
      const after = await loaded(this.#store);
      this.#advance(before, after, differences(before, after));
      return this.#snapshot;
    }
    invariant(
      news.serial >= before.serial,
      () => `configuration: serial number ${news.serial} after ${before.serial}`,
    );
    // A change of our own, which the news contain, may have been adopted meanwhile.
    if (news.serial <= this.#snapshot.serial) return this.#snapshot;
    const { head, changes } = newsOfRows(news.rows);
    const mtime = head?.mtime ?? before.mtime;
    this.#advance(before, before.with(changes, { serial: news.serial, mtime }), changes);
    return this.#snapshot;
  }
}

function stepped(
  before: Snapshot,
  changes: readonly ConfigChange[],
  head: Parameters<Snapshot["with"]>[1],
): Snapshot {
  const after = before.with(changes, head);
  checkClaims(before, after, changes);
  return after;
}

/** Claims of an earlier version are converted first, in one commit. */
async function loaded(store: ConfigStore): Promise<Snapshot> {
  for (;;) {
    const { serial: expectedSerial, rows } = await store.load();
    const content = contentOfRows(expectedSerial, rows);
    if (content === undefined) throw new ConfigError("wrong_state", "Cluster is not initialised");
    const changes = conversionChanges(content);
    if (changes.length === 0) return Snapshot.of(content);
    const serial = expectedSerial + 1;
    const converted = [headRow(content, serial), ...changes.map((one) => rowOf(one, serial))];
    // After a conflict another server has converted them.
    await store.commit({ expectedSerial, serial, rows: converted });
  }
}

/** Compares serial numbers; O(n). */
function differences(before: Snapshot, after: Snapshot): readonly ConfigChange[] {
  const changes: ConfigChange[] = [];
  if (before.cluster.serial_no !== after.cluster.serial_no) {
    changes.push(putCluster(after.cluster));
  }
  for (const type of objectTypes) {
    for (const object of after.all(type)) {
      const old = before.get(type, object.uuid);
      if (old === undefined || old.serial_no !== object.serial_no || old.mtime !== object.mtime) {
        changes.push({ kind: "put", type, object } as ConfigChange);
      }
    }
    for (const { uuid } of before.all(type)) {
      if (after.get(type, uuid) === undefined) changes.push({ kind: "remove", type, uuid });
    }
  }
  return changes;
}
