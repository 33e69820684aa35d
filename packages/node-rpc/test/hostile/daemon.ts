// A daemon with a scripted behaviour for each connection.

import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { pems } from "../loopback.js";

/** Behaviour of the daemon on a connection; resolves when it has ended. */
export type Behaviour = (connection: Connection) => Promise<void> | void;

export type HostileDaemon = Awaited<ReturnType<typeof hostileDaemon>>;

export async function hostileDaemon() {
  const secureContext = createSecureContext({ cert: pems.server, key: pems.server });
  const open = new Set<Socket>();
  let next: ((raw: Socket) => void) | undefined;
  const server = createServer((raw) => {
    open.add(raw);
    raw.on("close", () => open.delete(raw)).on("error", () => {});
    next?.(raw);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Connections that are open. */
    open,
    /** Applies the behaviour to the next connection; resolves when the behaviour has ended. */
    next: (behaviour: Behaviour) =>
      new Promise<void>((resolve) => {
        next = (raw) => {
          const connection = new Connection(raw, secureContext);
          // Behaviours may wait for a client that has disconnected.
          Promise.resolve(behaviour(connection))
            .catch(() => {})
            .then(() => {
              connection.drain();
              resolve();
            });
        };
      }),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection, which the behaviour advances step by step. */
export class Connection {
  readonly raw: Socket;
  readonly #secureContext: SecureContext;
  #tls: TLSSocket | undefined;

  constructor(raw: Socket, secureContext: SecureContext) {
    this.raw = raw;
    this.#secureContext = secureContext;
  }

  /** Resolves after the handshake. */
  secured = (): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const secureContext = this.#secureContext;
      const socket = new TLSSocket(this.raw, { isServer: true, secureContext });
      this.#tls = socket;
      socket.on("secure", () => resolve(socket)).on("error", reject);
      this.raw.on("close", () => reject(new Error("closed")));
    });

  /** Resolves after the request has arrived. */
  requested = async (): Promise<TLSSocket> => {
    const socket = this.#tls ?? (await this.secured());
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  };

  /** Notices when the client closes the connection. */
  drain(): void {
    (this.#tls ?? this.raw).resume();
  }
}
