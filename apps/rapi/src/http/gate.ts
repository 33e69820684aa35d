/** Gate: limits the number of concurrent requests, and shares the places among clients. */
import type { Connection } from "./connection.js";
import { ClientGone } from "./fault.js";

/** Sender of a request: requests of the same `client` (user or address) share their places. */
export interface Visitor {
  readonly client: string;
  readonly connection: Connection;
}

export interface GateOptions {
  /** Maximum number of concurrent requests, at least 1. */
  readonly placesMax: number;
  /** Maximum number of places of one client, including abandoned work; unlimited if absent. */
  readonly shareMax?: number;
  /** Monotonic clock (ms); by default that of the process. */
  readonly now?: () => number;
}

export interface GateFigures {
  /** Requests that hold a place. */
  readonly running: number;
  readonly waiting: number;
  /** Work that continues after its connection has closed. It holds no place, but counts for its client's share. */
  readonly abandoned: number;
}

/** Figures of a gate whose waiting requests make no progress. */
export interface Standstill extends GateFigures {
  /** Time (ms) since the last end of a request, or since the arrival of the oldest request that could enter. */
  readonly forMs: number;
}

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
}

/** Requests of one client. Work counts until it ends, also after its connection has closed. */
interface Client {
  working: number;
  readonly waiting: Set<Waiting>;
}

/**
 * Runs at most `placesMax` requests concurrently, at most `shareMax` of them for one client. The others wait, for each
 * client in the order of arrival; clients take turns, so that many requests of one do not delay another.
 */
export class Gate {
  readonly #placesMax: number;
  readonly #shareMax: number;
  readonly #now: () => number;
  #running = 0;
  /** Time of the last end of work. */
  #endedAt: number;
  readonly #clients = new Map<string, Client>();
  /** Clients with waiting requests, the next one to be served first. */
  readonly #queue = new Set<Client>();

  constructor({
    placesMax,
    shareMax = Number.POSITIVE_INFINITY,
    now = () => performance.now(),
  }: GateOptions) {
    this.#placesMax = placesMax;
    this.#shareMax = shareMax;
    this.#now = now;
    this.#endedAt = now();
  }

  /**
   * Runs `work` as soon as there is a place. When the connection closes, a waiting request is removed, and a running one
   * releases its place, although its work may take longer to end.
   * @throws ClientGone if the connection closes before the work has ended
   */
  async pass<T>({ client: name, connection }: Visitor, work: () => Promise<T>): Promise<T> {
    if (connection.isClosed) throw new ClientGone();
    const client = this.#clientOf(name);
    const leave = this.#mayEnter(client)
      ? this.#take(client)
      : await this.#entered(name, client, connection);
    let stopListening: () => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        stopListening = connection.onClose(() => {
          leave();
          reject(new ClientGone());
        });
        // The connection may have closed while the place was handed over.
        const begun = connection.isClosed ? () => Promise.reject(new ClientGone()) : work;
        this.#worked(name, client, begun).then(resolve, reject);
      });
    } finally {
      stopListening();
      leave();
    }
  }

  /** Whether a request may enter at once, without overtaking waiting ones. */
  #mayEnter({ working, waiting }: Client): boolean {
    const isFree = this.#running < this.#placesMax && working < this.#shareMax;
    return isFree && waiting.size === 0 && this.#next() === undefined;
  }

  /** Waits for a place; resolves to the function that releases it. */
  #entered(name: string, client: Client, connection: Connection): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        since: this.#now(),
        begin: () => {
          stopListening();
          resolve(this.#take(client));
        },
      };
      const stopListening = connection.onClose(() => {
        stopListening();
        this.#stopWaiting(name, client, waiting);
        reject(new ClientGone());
      });
      client.waiting.add(waiting);
      this.#queue.add(client);
      this.#letIn();
    });
  }

  /** Undefined while requests end, or if no waiting request could enter. */
  standstill(): Standstill | undefined {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { working, waiting } of this.#queue) {
      const [first] = waiting;
      if (first !== undefined && working < this.#shareMax) oldest = Math.min(oldest, first.since);
    }
    if (oldest === Number.POSITIVE_INFINITY) return undefined;
    return { ...this.figures(), forMs: this.#now() - Math.max(oldest, this.#endedAt) };
  }

  figures(): GateFigures {
    let working = 0;
    let waiting = 0;
    for (const client of this.#clients.values()) {
      working += client.working;
      waiting += client.waiting.size;
    }
    return { running: this.#running, waiting, abandoned: working - this.#running };
  }

  #clientOf(name: string): Client {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client: Client = { working: 0, waiting: new Set() };
    this.#clients.set(name, client);
    return client;
  }

  /** Takes a place; returns a function that releases it once. */
  #take(client: Client): () => void {
    this.#running += 1;
    client.working += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#running -= 1;
      this.#letIn();
    };
  }

  async #worked<T>(name: string, client: Client, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#endedAt = this.#now();
      client.working -= 1;
      this.#forget(name, client);
      this.#letIn();
    }
  }

  #stopWaiting(name: string, client: Client, waiting: Waiting): void {
    client.waiting.delete(waiting);
    if (client.waiting.size === 0) this.#queue.delete(client);
    this.#forget(name, client);
  }

  #forget(name: string, client: Client): void {
    const isIdle = client.working === 0 && client.waiting.size === 0;
    // The map may contain a newer entry of the same name.
    if (isIdle && this.#clients.get(name) === client) this.#clients.delete(name);
  }

  /** Admits waiting requests. O(waiting clients) for each request that enters. */
  #letIn(): void {
    for (let client = this.#next(); client !== undefined; client = this.#next()) {
      const [first] = client.waiting as Set<Waiting>;
      this.#queue.delete(client);
      if (first === undefined) continue;
      client.waiting.delete(first);
      if (client.waiting.size > 0) this.#queue.add(client);
      first.begin();
    }
  }

  #next(): Client | undefined {
    if (this.#running >= this.#placesMax) return undefined;
    for (const client of this.#queue) if (client.working < this.#shareMax) return client;
    return undefined;
  }
}

/** The places of a server. */
export interface Gates {
  /** For requests on the port: one user, or one address without a user, may hold half of the places. */
  readonly port: Gate;
  /** The same number of places for the owner's local socket, which other clients cannot take. */
  readonly socket: Gate;
}

/** @param placesMax at least 1 */
export const createGates = (placesMax: number): Gates => ({
  port: new Gate({ placesMax, shareMax: Math.ceil(placesMax / 2) }),
  socket: new Gate({ placesMax }),
});
