/** createNodeRpcServer: answers node calls over HTTPS from any node back end. */
import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext, type PeerCertificate, type TLSSocket } from "node:tls";
import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import { parseJson, writeAsciiJson } from "@ganeti-ts/protocol";
import { type Certificates, FromCertificates, type ServerCertificates } from "../certificates.js";
import { decodeArguments, encodeAnswer } from "../wire/codec.js";
import { noNodes, type WireContext } from "../wire/context.js";
import { isNodeCall } from "../wire/wires.js";
import { refuseProxies } from "./refused-proxies.js";

/** Options of a server: certificates and settings. */
export type NodeRpcServerOptions = Certificates<ServerCertificates> & NodeRpcServerSettings;

/** Options of a server other than its certificates. */
interface NodeRpcServerSettings {
  /** SHA-1 digests (`9A:6C:…`) of accepted client certificates; called at each connection and each call. */
  readonly acceptedDigests: () => readonly string[];
  /** Back end that carries out the calls, for the node with the UUID `node`. */
  readonly nodes: NodeBackend;
  readonly node: string;
  /** Lease of all callers: the wire does not distinguish them. */
  readonly lease: string;
  readonly host: string;
  /** TCP port; 0 means any free port. Default 1811. */
  readonly port?: number;
  /** Maximum size of a request's body. Default 64 MiB. */
  readonly bodyBytesMax?: number;
  /** Time limit (ms) for a handshake, and for receiving a request. Default 10 s. */
  readonly receiveMs?: number;
  /** Maximum number of connections; further ones are closed. Default 64. */
  readonly connectionsMax?: number;
  /** Paths carry the prefix of virtual clusters. Default false. */
  readonly virtualPaths?: boolean;
}

/** A running server of Ganeti's node RPC. */
export interface NodeRpcServer {
  readonly port: number;
  /** Closes all connections; running calls continue in the back end. */
  close(): Promise<void>;
}

/**
 * Each call has its own connection, and the handshake costs more than the call. TLS 1.3 takes a fifth more processor time
 * and three quarters more time, and all of Ganeti's clients speak TLS 1.2. None of them resumes sessions, and a ticket, which
 * contains the certificate of the client, would cost a tenth of a call.
 */
const handshakes = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const;

/** Resolves when the server listens. */
export async function createNodeRpcServer(options: NodeRpcServerOptions): Promise<NodeRpcServer> {
  const { receiveMs = 10_000 } = options;
  const keys = new FromCertificates<ServerCertificates, ReturnType<typeof usableKeys>>(
    options,
    usableKeys,
  );
  let used = keys.current;
  const server = createServer({
    ...used,
    // Only the digest decides, as on Ganeti's nodes: expiry and signature are not checked.
    requestCert: true,
    rejectUnauthorized: false,
    ...handshakes,
    handshakeTimeout: receiveMs,
    requestTimeout: receiveMs,
    headersTimeout: receiveMs,
    connectionsCheckingInterval: Math.min(receiveMs, 1_000),
  });
  // Must run before the listener that starts the handshake.
  server.prependListener("connection", () => {
    const { current } = keys;
    if (current !== used) server.setSecureContext({ ...current, ...handshakes });
    used = current;
  });
  server.maxConnections = options.connectionsMax ?? 64;
  // Must run before the listener that reads requests.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    if (!mayCall(socket, options)) socket.destroy();
  });
  refuseProxies(server);
  server.on("request", (request, response) => {
    void answer(request, response, options);
  });
  await listening(server, options);
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

/** Digests by connection, so that a certificate is parsed once for the handshake and all calls. */
const digests = new WeakMap<TLSSocket, string>();

function mayCall(socket: TLSSocket, { acceptedDigests }: NodeRpcServerOptions): boolean {
  // Not an `X509Certificate`: OpenSSL would parse the certificate again, which costs a tenth of a call.
  const shown = () => (socket.getPeerCertificate() as PeerCertificate | null)?.fingerprint;
  const digest = digests.get(socket) ?? shown() ?? "";
  digests.set(socket, digest);
  return acceptedDigests().includes(digest);
}

/** @throws Error if they do not belong together */
function usableKeys({ clusterCertificate: cert, clusterKey: key }: ServerCertificates) {
  createSecureContext({ cert, key });
  return { cert, key };
}

const listening = (server: Server, { host, port = 1811 }: NodeRpcServerOptions) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRpcServerOptions,
): Promise<void> {
  // The caller of a kept connection may have lost its permission meanwhile.
  if (!mayCall(request.socket as TLSSocket, options)) {
    response.destroy();
    return;
  }
  const name = request.url?.slice(1) ?? "";
  if (request.method !== "POST") return send(response, 400, "Only POST is supported\n");
  if (!isNodeCall(name)) return send(response, 404, `No such call: ${name}\n`);
  const body = await whole(request, options.bodyBytesMax ?? 64 * 1024 * 1024);
  if (body === undefined) {
    response.destroy();
    return;
  }
  const caller = new AbortController();
  const abort = () => caller.abort();
  response.on("close", abort);
  const text = await outcome(name, body, caller.signal, options);
  // Otherwise the end of each connection would abort a completed call, and create an error with a stack trace.
  response.off("close", abort);
  send(response, 200, `${text}\n`);
}

/** Body of the back end's answer. As in Ganeti's daemon, any exception is a failed call. */
async function outcome(
  name: NodeCallName,
  body: string,
  signal: AbortSignal,
  { nodes, node, lease, virtualPaths = false }: NodeRpcServerOptions,
): Promise<string> {
  const context: WireContext = { ...noNodes, virtualPaths };
  try {
    const args = decodeArguments(name, parseJson(body), context);
    const given = await nodes.call(node, name, args, { lease, signal });
    return writeAsciiJson(encodeAnswer(name, given, context));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return writeAsciiJson([false, `Error while executing backend function: ${message}`]);
  }
}

/** Whether the client asked to keep the connection. Ganeti's clients expect the daemon to close it. */
const isKept = ({ headers }: IncomingMessage): boolean =>
  headers.connection?.toLowerCase() === "keep-alive";

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "Content-Length": Buffer.byteLength(body),
    Connection: isKept(response.req) ? "keep-alive" : "close",
  });
  response.end(body);
}

/**
 * Reads the body; undefined if it is too large or incomplete. Listeners take a twentieth of a call less time than an async
 * iterator.
 */
function whole(request: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on("data", (part: Buffer) => {
      length += part.length;
      if (length > bytesMax) resolve(undefined);
      else parts.push(part);
    });
    request.once("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    // These have no effect after the end.
    request.once("error", () => resolve(undefined));
    request.once("close", () => resolve(undefined));
  });
}
