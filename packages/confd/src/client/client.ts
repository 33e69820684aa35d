/** A client that asks several master candidates at once. */
import { randomUuid } from "@ganeti-ts/config";
import { type Clock, type Random, secureRandom } from "@ganeti-ts/protocol";
import type { ConfdPeer } from "../server/server.js";
import { type ConfdAnswer, readConfdAnswer } from "../wire/answer.js";
import { confdPort } from "../wire/constants.js";
import { writeConfdQuery } from "../wire/query.js";
import { ConfdClientError } from "./client-error.js";
import type { ConfdEvent, ConfdRequest } from "./events.js";
import { newestAnswers } from "./newest-answers.js";
import { chosenPeers, familyOf, neededReplies } from "./peers.js";
import type { ConfdTransport } from "./transport.js";

/** Time for which answers to a request are accepted. */
export const requestExpiryMs = 10_000;

/** Options of one request. */
interface SendOptions {
  /** Number of peers to ask; see `chosenPeers`. */
  readonly coverage?: number;
  /** Passed on with each event of the request. */
  readonly args?: unknown;
  /** Gets the events of this request instead of the client's own listener. */
  readonly onEvent?: (event: ConfdEvent) => void;
}

/** Options of a client: key, peers and the ports it works with. */
export interface ConfdClientOptions {
  /** Whole content of the key file, newline included. */
  readonly key: Uint8Array;
  /** Addresses of master candidates, all of one family. */
  readonly peers: readonly string[];
  readonly transport: ConfdTransport;
  readonly clock: Clock;
  /** Chooses peers and makes rsalts; the machine's own randomness if absent. */
  readonly random?: Random;
  /** Port of the servers; 1814 if absent. */
  readonly port?: number;
  readonly onEvent?: (event: ConfdEvent) => void;
  /** Maximum number of requests that have neither expired nor been settled; 10 000 if absent. */
  readonly pendingMax?: number;
}

/** Numbers of peers that got the query and that have answered. */
interface Replies {
  readonly timedOut: boolean;
  /** Number of peers asked; 0 if the request is unknown or has expired. */
  readonly sent: number;
  /** Number of peers that have answered. */
  readonly received: number;
}

/** Result of a request that was sent to several peers: the newest answer and its consistency. */
export interface AskResult extends Replies {
  /** The newest answer; undefined if none arrived. */
  readonly answer: ConfdAnswer | undefined;
  /** False if two answers with the same serial number differ. */
  readonly isConsistent: boolean;
}

interface Pending {
  readonly request: ConfdRequest;
  readonly options: SendOptions;
  readonly sent: number;
  readonly repliedBy: Set<string>;
  expiresAtMs: number;
  cancelExpiry: () => void;
  readonly waiters: Set<() => void>;
}

/** Requests are independent of each other; `rsalt` tells which one an answer belongs to. */
export class ConfdClient {
  readonly #options: ConfdClientOptions;
  readonly #random: Random;
  readonly #pending = new Map<string, Pending>();
  #peers: readonly string[];

  /** @throws ConfdClientError `no peers`, `wrong peers` */
  constructor(options: ConfdClientOptions) {
    familyOf(options.peers);
    this.#options = options;
    this.#random = options.random ?? secureRandom;
    this.#peers = [...options.peers];
    options.transport.onDatagram((datagram, from) => this.#receive(datagram, from));
  }

  /** For requests from now on. @throws ConfdClientError `no peers`, `wrong peers` */
  setPeers(peers: readonly string[]): void {
    familyOf(peers);
    this.#peers = [...peers];
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /**
   * Sends the same datagram to several peers and gives its `rsalt`; answers arrive as events until the
   * request expires. @throws ConfdClientError
   */
  send(request: ConfdRequest, options: SendOptions = {}): string {
    const { transport, clock, port = confdPort, pendingMax = 10_000 } = this.#options;
    const rsalt = request.rsalt ?? randomUuid(this.#random);
    const targets = chosenPeers(this.#peers, this.#random, options.coverage);
    if (rsalt === "") throw new ConfdClientError("wrong rsalt", "Missing request rsalt");
    if (this.#pending.has(rsalt)) {
      throw new ConfdClientError("wrong rsalt", "Duplicate request rsalt");
    }
    if (this.#pending.size >= pendingMax) {
      throw new ConfdClientError("too many pending", `${pendingMax} requests are pending`);
    }
    const datagram = this.#datagramOf(request, rsalt);
    for (const address of targets) transport.send(datagram, { address, port });
    const pending: Pending = {
      request,
      options,
      sent: targets.length,
      repliedBy: new Set(),
      waiters: new Set(),
      expiresAtMs: clock.now() + requestExpiryMs,
      cancelExpiry: clock.after(requestExpiryMs, () => this.#expire(rsalt)),
    };
    this.#pending.set(rsalt, pending);
    return rsalt;
  }

  /**
   * Resolves when enough peers have answered (see `neededReplies`) or the time is over. The request
   * expires later by that time, so that it does not end meanwhile.
   */
  async waitForReplies(rsalt: string, timeoutMs = requestExpiryMs): Promise<Replies> {
    const pending = this.#pending.get(rsalt);
    if (pending === undefined) return { timedOut: true, sent: 0, received: 0 };
    const { clock } = this.#options;
    this.#extend(rsalt, pending, timeoutMs);
    const needed = neededReplies(pending.sent);
    const isEnough = () => pending.repliedBy.size >= needed;
    if (!isEnough()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel();
          pending.waiters.delete(check);
          resolve();
        };
        const cancel = clock.after(timeoutMs, done);
        const check = () => {
          if (isEnough() || !this.#pending.has(rsalt)) done();
        };
        pending.waiters.add(check);
      });
    }
    return { timedOut: !isEnough(), sent: pending.sent, received: pending.repliedBy.size };
  }

  /** Sends, waits for enough answers, and gives the newest; later answers are discarded. */
  async ask(
    request: ConfdRequest,
    { coverage, timeoutMs = requestExpiryMs }: { coverage?: number; timeoutMs?: number } = {},
  ): Promise<AskResult> {
    const newest = newestAnswers(() => undefined);
    const rsalt = this.send(request, {
      onEvent: newest.onEvent,
      ...(coverage === undefined ? {} : { coverage }),
    });
    const replies = await this.waitForReplies(rsalt, timeoutMs);
    const answer = newest.answerOf(rsalt);
    const isConsistent = newest.isConsistent(rsalt);
    this.#forget(rsalt);
    return { ...replies, answer, isConsistent };
  }

  /** Ends all requests without further events, and the transport. */
  async close(): Promise<void> {
    for (const rsalt of [...this.#pending.keys()]) this.#forget(rsalt);
    await this.#options.transport.close();
  }

  #datagramOf({ type, query = null }: ConfdRequest, rsalt: string): Uint8Array {
    const { key, clock } = this.#options;
    const nowSeconds = clock.wallMicros() / 1e6;
    try {
      return writeConfdQuery({ type, query, rsalt }, { key, nowSeconds });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ConfdClientError("too big", "Request too big", { cause: error });
    }
  }

  /** Discards whatever is not a signed answer to a pending request. */
  #receive(datagram: Uint8Array, from: ConfdPeer): void {
    const reading = readConfdAnswer(datagram, this.#options.key);
    if (!reading.ok) return;
    const { rsalt, answer } = reading;
    const pending = this.#pending.get(rsalt);
    if (pending === undefined) return;
    pending.repliedBy.add(from.address);
    this.#report(pending, { ...eventOf(rsalt, pending), kind: "reply", answer, from });
    for (const check of [...pending.waiters]) check();
  }

  #expire(rsalt: string): void {
    const pending = this.#pending.get(rsalt);
    if (pending === undefined) return;
    this.#forget(rsalt);
    this.#report(pending, { ...eventOf(rsalt, pending), kind: "expired" });
  }

  #extend(rsalt: string, pending: Pending, byMs: number): void {
    const { clock } = this.#options;
    pending.cancelExpiry();
    pending.expiresAtMs += byMs;
    const leftMs = Math.max(0, pending.expiresAtMs - clock.now());
    pending.cancelExpiry = clock.after(leftMs, () => this.#expire(rsalt));
  }

  #forget(rsalt: string): void {
    const pending = this.#pending.get(rsalt);
    if (pending === undefined) return;
    pending.cancelExpiry();
    this.#pending.delete(rsalt);
    for (const check of [...pending.waiters]) check();
  }

  #report(pending: Pending, event: ConfdEvent): void {
    (pending.options.onEvent ?? this.#options.onEvent)?.(event);
  }
}

const eventOf = (rsalt: string, { request, options }: Pending) => ({
  rsalt,
  request,
  args: options.args,
});
