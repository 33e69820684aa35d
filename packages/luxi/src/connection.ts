/** A connection to a master's local socket: one call after the other, each answered in full. */
import type { Socket } from "node:net";
import { FrameReader, luxiEnd } from "./frames.js";

/**
 * | `code` | meaning |
 * |---|---|
 * | the system's (`ENOENT`, `ECONNREFUSED`, `EACCES`, `EPIPE`, …) | connecting, writing or reading failed |
 * | `EOF` | the server closed the connection before it had answered |
 * | `ETIMEDOUT` | a time limit was reached |
 * | `EMSGSIZE` | the answer is longer than the limit |
 * | `ECANCELED` | the caller closed the connection or aborted the call |
 */
export class LuxiConnectionError extends Error {
  override readonly name = "LuxiConnectionError";
  readonly code: string;
  /** Whether a connection existed: if not, no request can have reached the server. */
  readonly step: "connect" | "exchange";

  constructor(code: string, step: "connect" | "exchange", message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.step = step;
  }
}

/** Limits of a connection: times in ms and the size of an answer in bytes. */
interface ConnectionLimits {
  /** Time for connecting (ms). */
  readonly connectMs: number;
  /** Time without any byte sent or received while a call is in progress (ms). */
  readonly silenceMs: number;
  /** Longest answer. */
  readonly bytesMax: number;
}

/** One call at a time. */
export interface LuxiConnection {
  /**
   * Sends the text of a call, without its end byte, and gives the bytes of its answer. A connection
   * that has failed stays so.
   * @throws LuxiConnectionError
   */
  readonly exchange: (call: string) => Promise<Uint8Array>;
  /** A call in progress fails with `ECANCELED`. */
  readonly close: () => void;
}

/**
 * Connects to the socket at `path`, once.
 * @throws LuxiConnectionError
 */
export async function connectLuxi(path: string, limits: ConnectionLimits): Promise<LuxiConnection> {
  // Programs that can ask a master but are not told to need not load it.
  const { createConnection } = await import("node:net");
  const socket = createConnection({ path });
  socket.setTimeout(limits.connectMs);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error: NodeJS.ErrnoException) => reject(systemError(error, "connect")));
    socket.once("timeout", () => reject(timeout("connect", limits.connectMs)));
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  socket.removeAllListeners();
  socket.setTimeout(limits.silenceMs);
  return new Exchanges(socket, limits);
}

class Exchanges implements LuxiConnection {
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  readonly #frames: FrameReader;
  #failure: LuxiConnectionError | undefined;
  #waiting: Waiting | undefined;

  constructor(socket: Socket, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#limits = limits;
    this.#frames = new FrameReader(limits.bytesMax);
    socket.on("data", (chunk) => this.#take(chunk as Buffer));
    socket.on("end", () => this.#fail(connectionError("EOF", "closed by the server")));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      this.#fail(systemError(error, "exchange")),
    );
    socket.on("timeout", () => {
      if (this.#waiting !== undefined) this.#fail(timeout("exchange", limits.silenceMs));
    });
  }

  exchange(call: string): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting = { resolve, reject };
      this.#socket.write(call);
      this.#socket.write(Uint8Array.of(luxiEnd));
    });
  }

  close(): void {
    this.#fail(connectionError("ECANCELED", "closed by the caller"));
  }

  #take(chunk: Uint8Array): void {
    for (const answer of this.#frames.take(chunk)) {
      if (answer === undefined) {
        const { bytesMax } = this.#limits;
        this.#fail(connectionError("EMSGSIZE", `an answer of more than ${bytesMax} bytes`));
        return;
      }
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(answer);
    }
  }

  #fail(error: LuxiConnectionError): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
    this.#socket.removeAllListeners().on("error", () => {});
    this.#socket.destroy();
  }
}

interface Waiting {
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: LuxiConnectionError) => void;
}

const connectionError = (code: string, message: string) =>
  new LuxiConnectionError(code, "exchange", message);

const systemError = (error: NodeJS.ErrnoException, step: "connect" | "exchange") =>
  new LuxiConnectionError(error.code ?? "", step, error.message, { cause: error });

const timeout = (step: "connect" | "exchange", ms: number) =>
  new LuxiConnectionError(
    "ETIMEDOUT",
    step,
    `no ${step === "connect" ? "connection" : "answer"} within ${ms} ms`,
  );
