/** One call over HTTPS: a new connection, a POST, the whole answer. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import type { CancelSignal, Timers } from "@ganeti-ts/protocol";
import { type OwnIdentity, refusedIdentity, shownCertificate } from "./identity.js";

/** An exchange without an answer; the message is curl's, as Ganeti's master shows it. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

export interface TransportLimits {
  readonly connectMs: number;
  readonly handshakeMs: number;
  readonly answerBytesMax: number;
  readonly clock: Timers;
}

export interface Exchange {
  readonly host: string;
  readonly port: number;
  readonly call: string;
  /** Body of the request; ASCII. */
  readonly body: string;
  /** Time limit of the whole exchange, including the connection. */
  readonly totalMs: number;
  readonly signal: CancelSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Makes one exchange on its own connection. The server must present the certificate of the cluster; its host name is not
 * checked, because all nodes share that certificate.
 * @throws TransportError
 */
export async function post(
  exchange: Exchange,
  identity: OwnIdentity,
  limits: TransportLimits,
): Promise<HttpAnswer> {
  const run = new Run(exchange, limits);
  try {
    const socket = await run.connected();
    const secured = await run.secured(socket, identity);
    return await run.answered(secured);
  } finally {
    run.end();
  }
}

/** Runs the steps of one exchange; a time limit or the caller ends the current step. */
class Run {
  readonly #exchange: Exchange;
  readonly #limits: TransportLimits;
  readonly #stop = new AbortController();
  readonly #began: number;
  readonly #endTotal: () => void;
  #received = 0;
  #socket: Socket | undefined;

  constructor(exchange: Exchange, limits: TransportLimits) {
    this.#exchange = exchange;
    this.#limits = limits;
    this.#began = limits.clock.now();
    this.#endTotal = limits.clock.after(exchange.totalMs, () => {
      this.#give(
        `Error 28: Operation timed out after ${this.#ms} milliseconds with ${this.#received} bytes received`,
      );
    });
    if (exchange.signal.aborted) this.#cancel();
    exchange.signal.addEventListener("abort", this.#cancel);
  }

  async connected(): Promise<Socket> {
    const { host, port } = this.#exchange;
    const { connectMs } = this.#limits;
    const socket = connect({ host, port, noDelay: true });
    this.#socket = socket;
    await this.#step(once(socket, "connect", this.#stop), {
      ...{
        limitMs: connectMs,
        late: () => `Error 28: Connection timed out after ${this.#ms} milliseconds`,
      },
      failure: () =>
        `Error 7: Failed to connect to ${host} port ${port} after ${this.#ms} ms: Couldn't connect to server`,
    });
    return socket;
  }

  async secured(socket: Socket, identity: OwnIdentity): Promise<TLSSocket> {
    const secured = tlsConnect({
      ...{ socket, secureContext: identity.secureContext },
      checkServerIdentity: () => undefined,
      // Checked below, where the error can describe the certificate.
      rejectUnauthorized: false,
    });
    // Errors end the step below, or reach the request as soon as that exists.
    secured.on("error", () => {});
    await this.#step(once(secured, "secureConnect", this.#stop), {
      limitMs: this.#limits.handshakeMs,
      late: () => "Error 28: SSL connection timeout",
      failure: (error) => `Error 35: ${error.message}${refusedIdentity(error, identity)}`,
    });
    if (!secured.authorized) {
      const why = String(secured.authorizationError);
      throw new TransportError(
        `Error 60: SSL certificate problem: ${why}${shownCertificate(secured)}`,
      );
    }
    return secured;
  }

  async answered(socket: TLSSocket): Promise<HttpAnswer> {
    const { host, port, call, body } = this.#exchange;
    const sent = request({
      createConnection: () => socket,
      method: "POST",
      path: `/${call}`,
      headers: {
        Host: `${host.includes(":") ? `[${host}]` : host}:${port}`,
        Accept: "*/*",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        Connection: "close",
      },
    });
    sent.on("error", () => {});
    sent.end(body);
    // A protocol switch (101) ends the request without an error.
    const closed = new Promise<never>((_, reject) => {
      sent.on("close", () => reject(new Error("hang up")));
    });
    const responded = once(sent, "response", this.#stop) as Promise<[IncomingMessage]>;
    const [response] = await this.#step(Promise.race([responded, closed]), {
      failure: (error) =>
        /hang up/.test(error.message)
          ? "Error 52: Empty reply from server"
          : `Error 56: ${error.message}`,
    });
    return this.#step(this.#whole(response), {
      failure: () => "Error 18: transfer closed with outstanding read data remaining",
    });
  }

  end(): void {
    this.#endTotal();
    this.#exchange.signal.removeEventListener("abort", this.#cancel);
    this.#socket?.destroy();
  }

  async #whole(response: IncomingMessage): Promise<HttpAnswer> {
    const { answerBytesMax } = this.#limits;
    const parts: Buffer[] = [];
    for await (const part of response as AsyncIterable<Buffer>) {
      this.#received += part.length;
      if (this.#received > answerBytesMax) {
        throw new TransportError(
          `Error 63: Exceeded the maximum allowed file size (${answerBytesMax})`,
        );
      }
      parts.push(part);
    }
    return { status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") };
  }

  /** Waits for one step, within its own time limit if it has one. */
  async #step<T>(
    step: Promise<T>,
    {
      limitMs,
      late = () => "",
      failure,
    }: { limitMs?: number; late?: () => string; failure: (error: Error) => string },
  ): Promise<T> {
    const { clock } = this.#limits;
    const endLimit =
      limitMs === undefined ? () => {} : clock.after(limitMs, () => this.#give(late()));
    try {
      return await step;
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      throw new TransportError(failure(error as Error), { cause: error });
    } finally {
      endLimit();
    }
  }

  #cancel = (): void => this.#give("Error 42: Operation was aborted by an application callback");

  #give(message: string): void {
    this.#stop.abort(new TransportError(message));
    this.#socket?.destroy();
  }

  get #ms(): number {
    return Math.round(this.#limits.clock.now() - this.#began);
  }
}
