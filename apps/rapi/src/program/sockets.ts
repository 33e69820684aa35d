/** openSockets: the listeners of a server: the remote API on a port and a socket, the local protocol, consoles, confd. */
import { writeFileSync } from "node:fs";
import { createConsoleServer } from "../console-server.js";
import type { Log } from "../log.js";
import { createServer } from "../server.js";
import { inSlices } from "../slices.js";
import type { Backend } from "./backend.js";
import type { DataDirectory } from "./data-directory.js";
import { careForKeys } from "./key-care.js";
import { keysOf } from "./keys.js";
import { type Listening, listenOnPort, listenOnSocket } from "./listen.js";
import { type LuxiListening, listenForLuxi } from "./luxi-listener.js";
import type { Options } from "./options.js";

interface SocketParts {
  readonly directory: DataDirectory;
  readonly backend: Backend;
  readonly log: Log;
  readonly unwanted: AbortSignal;
  /** Open listeners; filled by `openSockets`. */
  readonly sockets: Pick<Listening, "close">[];
}

export interface Sockets {
  readonly url: string;
  readonly luxi: LuxiListening;
  /** Reads the users file again, and the files of keys and certificates. */
  reload(): Promise<void>;
  /** Stops accepting, and resolves when pending requests have ended, or after `graceMs`. */
  close(graceMs: number): Promise<unknown>;
}

/** Resolves when all listeners answer. */
export async function openSockets(
  options: Options,
  { directory, backend, log, unwanted, sockets }: SocketParts,
): Promise<Sockets> {
  const { world, cluster, users, confd } = backend;
  const app = createServer(world);
  const { cluster_name: name } = cluster.snapshot().cluster;
  const readKeys = () => keysOf(options, directory.certificate, name);
  const keys = options.ssl ? await readKeys() : undefined;
  unwanted.throwIfAborted();
  const luxi = await listenForLuxi(options, directory.path, {
    ...{ cluster, log, access: world.access },
  });
  sockets.push(luxi);
  const consoles = createConsoleServer(world);
  sockets.push(consoles);
  const { upgrade } = consoles;
  const open = await listenOnPort(app, options.address, options.port, keys, { upgrade });
  sockets.push(open);
  if (options.confd !== undefined) {
    sockets.push(confd);
    await confd.listen(options.confd, { cluster, log, metrics: world.metrics });
  }
  // Opened last, because programs of this machine wait for its /healthz until the server is ready.
  sockets.push(await listenOnSocket(app, directory.socket));
  unwanted.throwIfAborted();
  const host = options.address.includes(":") ? `[${options.address}]` : options.address;
  const url = `${options.ssl ? "https" : "http"}://${host}:${open.port}`;
  const care = keys && careForKeys(keys, readKeys, open.use, { log });
  writeFileSync(directory.pid, `${process.pid}\n`);
  log.info({ url, socket: directory.socket, luxi: luxi.path, pid: process.pid }, "ready");
  // Large lists are rendered in advance; no request waits for it.
  const stopPreparing = inSlices(world.texts.preparing());
  return {
    url,
    luxi,
    async reload() {
      users.reload();
      await care?.reload();
      await confd
        .reloadKey()
        .catch((error) => log.error({ error }, "confd key could not be reloaded"));
    },
    close(graceMs) {
      stopPreparing();
      care?.stop();
      return Promise.all(sockets.map((socket) => socket.close(graceMs)));
    },
  };
}
