// Calls over the wires of a bench from outside its network: connections, node calls, LUXI, the remote API.
import { readFileSync } from "node:fs";
import { type ClientRequestArgs, request as plainRequest } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ReferenceNode } from "./layout.js";

/** Connects to a TCP address inside the bench, through the relay listening at `relay`. */
export function connectThrough(relay: string, address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(relay);
    let head = Buffer.alloc(0);
    const listen = (data: Buffer) => {
      head = Buffer.concat([head, data]);
      const end = head.indexOf("\n");
      if (end < 0) return;
      socket.off("data", listen).off("error", reject).pause();
      const line = head.toString("utf8", 0, end);
      if (line !== "ok") {
        socket.destroy();
        reject(new Error(`${address}:${port}: ${line.replace(/^error /, "")}`));
        return;
      }
      if (head.length > end + 1) socket.unshift(head.subarray(end + 1));
      resolve(socket);
    };
    socket.on("data", listen).on("error", reject);
    socket.write(`${address} ${port}\n`);
  });
}

/** A whole HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One HTTP request over TLS to an address inside the bench. The server's name is not checked. */
export async function tlsRequest(
  relay: string,
  to: {
    readonly address: string;
    readonly port: number;
    readonly ca: string;
    readonly pem?: string;
  },
  options: Pick<ClientRequestArgs, "method" | "path" | "headers" | "auth">,
  body?: string,
): Promise<HttpAnswer> {
  const socket = await connectThrough(relay, to.address, to.port);
  const secure = connectTls({
    socket,
    ca: to.ca,
    checkServerIdentity: () => undefined,
    maxVersion: "TLSv1.2", // 40 ms faster with Ganeti's servers
    ...(to.pem === undefined ? {} : { cert: to.pem, key: to.pem }),
  });
  return new Promise((resolve, reject) => {
    secure.on("error", reject);
    const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    const headers = { Host: `${to.address}:${to.port}`, ...options.headers, ...length };
    const request = plainRequest({ ...options, headers, createConnection: () => secure });
    request.on("error", reject).on("response", (response) => {
      const parts: Buffer[] = [];
      response
        .on("error", reject)
        .on("data", (part: Buffer) => parts.push(part))
        .on("end", () => {
          secure.destroy();
          const text = Buffer.concat(parts).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
    });
    request.end(body);
  });
}

/**
 * Calls a node daemon with the certificate of `caller`, and gives `[succeeded, payload or text]`.
 *
 * The body is plain ASCII, as Ganeti's daemon counts characters where the header counts bytes.
 */
export async function callNode(
  relay: string,
  caller: ReferenceNode,
  node: ReferenceNode,
  method: string,
  args: readonly unknown[],
): Promise<readonly [boolean, unknown]> {
  const body = JSON.stringify(args).replace(/[\u007f-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const to = {
    address: node.address,
    port: node.nodedPort,
    ca: readFileSync(caller.serverPem, "utf8"),
    pem: readFileSync(caller.clientPem, "utf8"),
  };
  const headers = { "Content-Type": "application/json" };
  const options = { method: "POST", path: `/${method}`, headers };
  return JSON.parse((await tlsRequest(relay, to, options, body)).text);
}

/** One LUXI call: what the server answered, `{ success, result, … }`. `version` is that of its protocol. */
export function callLuxi(
  path: string,
  version: number,
  method: string,
  args: readonly unknown[],
): Promise<{ readonly success: boolean; readonly result: unknown }> {
  const end = "\u0003";
  return new Promise((resolve, reject) => {
    const socket = connectSocket(path).setEncoding("utf8");
    let said = "";
    socket.on("error", reject).on("data", (text) => {
      said += text;
      if (!said.endsWith(end)) return;
      socket.destroy();
      resolve(JSON.parse(said.slice(0, -1)));
    });
    socket.on("end", () => reject(new Error(`${path}: closed without an answer`)));
    socket.write(`${JSON.stringify({ method, args, version })}${end}`);
  });
}
