/** One client's connection: its requests are answered one after the other, in order. */
import type { Socket } from "node:net";
import { FrameReader } from "../frames.js";
import type { ServerLimits } from "./limits.js";

/** The text of a response, and whether the connection ends after it. */
export interface Reply {
  readonly text: string;
  readonly close: boolean;
}

/** Handler of requests. Never rejects. `signal` aborts when the client goes away or the server stops. */
export interface Responder {
  readonly answer: (message: Uint8Array, signal: AbortSignal) => Promise<Reply>;
  /** Refusals without a request: one that is too long, and those after a malformed one. */
  readonly refusal: (why: "too long" | "after a fault") => string;
}

/** `undefined` stands for a request that is longer than the limit. */
type Pending = Uint8Array | undefined;

export class ServerConnection {
  readonly #socket: Socket;
  readonly #responder: Responder;
  readonly #limits: ServerLimits;
  readonly #frames: FrameReader;
  readonly #gone = new AbortController();
  readonly #pending: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #requestStarted: number | undefined;
  #busy = false;
  /** Nothing further is read as a request: the client has ended its half, or a refusal ends it all. */
  #inputEnded = false;
  #faulted = false;
  #closed = false;

  constructor(socket: Socket, responder: Responder, limits: ServerLimits) {
    this.#socket = socket;
    this.#responder = responder;
    this.#limits = limits;
    this.#frames = new FrameReader(limits.requestBytesMax);
    socket.on("data", (chunk) => this.#take(chunk as Buffer));
    socket.on("end", () => this.#endInput());
    // Followed by "close".
    socket.on("error", () => {});
    socket.on("close", () => this.#release());
    this.#waitForBytes();
  }

  /** Answers the requests received so far, which waits should end early for, then closes. */
  finish(): void {
    this.#endInput();
  }

  /** Closes at once; requests in progress go unanswered. */
  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Uint8Array): void {
    if (this.#inputEnded) return; // the rest of a refused request
    for (const message of this.#frames.take(chunk)) {
      this.#requestStarted = undefined;
      this.#pending.push(message);
      if (message === undefined) this.#inputEnded = true;
    }
    if (this.#frames.pendingBytes > 0) this.#requestStarted ??= performance.now();
    if (this.#pending.length >= this.#limits.pipelinedMax) this.#socket.pause();
    if (this.#busy) return;
    if (this.#pending.length > 0) void this.#answerPending();
    else this.#waitForBytes();
  }

  async #answerPending(): Promise<void> {
    this.#busy = true;
    clearTimeout(this.#timer);
    while (this.#pending.length > 0 && !this.#closed) {
      await this.#send(await this.#reply(this.#pending.shift()));
      if (this.#pending.length < this.#limits.pipelinedMax) this.#socket.resume();
    }
    this.#busy = false;
    if (this.#closed) return;
    if (this.#inputEnded || this.#faulted) this.#hangUp();
    else this.#waitForBytes();
  }

  async #reply(message: Pending): Promise<string> {
    // After garbage nothing is carried out, but each complete request has its answer: clients send
    // again a request that has none.
    if (this.#faulted) return this.#responder.refusal("after a fault");
    if (message === undefined) {
      this.#faulted = true;
      return this.#responder.refusal("too long");
    }
    const { text, close } = await this.#responder.answer(message, this.#gone.signal);
    this.#faulted = close;
    return text;
  }

  /** Resolves when the client has taken the answer, or is gone. */
  #send(text: string): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#socket.destroy(), this.#limits.sendMs);
      const done = () => {
        clearTimeout(timer);
        this.#socket.off("close", done);
        resolve();
      };
      this.#socket.once("close", done);
      this.#socket.write(`${text}\x03`, done);
    });
  }

  #waitForBytes(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const { idleMs, requestMs } = this.#limits;
    const started = this.#requestStarted;
    const left = started === undefined ? idleMs : started + requestMs - performance.now();
    this.#timer = setTimeout(() => this.#socket.destroy(), Math.max(0, Math.min(idleMs, left)));
  }

  #endInput(): void {
    this.#inputEnded = true;
    this.#gone.abort();
    if (!this.#busy) this.#hangUp();
  }

  /** Ends our half; what the client still sends is thrown away, or it would miss the answer. */
  #hangUp(): void {
    this.#inputEnded = true;
    clearTimeout(this.#timer);
    this.#socket.end();
    this.#socket.resume();
    if (this.#socket.readableEnded) return;
    this.#timer = setTimeout(() => this.#socket.destroy(), this.#limits.lingerMs);
  }

  #release(): void {
    this.#closed = true;
    this.#pending.length = 0;
    clearTimeout(this.#timer);
    this.#gone.abort();
  }
}
