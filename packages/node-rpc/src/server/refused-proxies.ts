/** refuseProxies: the answer to CONNECT, which asks a server for a proxy. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Time (ms) that a client has for ending its side after the answer. */
const lingerMs = 1_000;

/**
 * Answers CONNECT with 501, and closes the connection a second later even if the client keeps it open. Without a listener
 * Node.js closes such a connection without a word; with one, it applies none of the server's limits to it any more.
 */
export function refuseProxies(server: Pick<Server, "on">): void {
  server.on("connect", (_request: unknown, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    // Later bytes are read and dropped: unread ones would reset the connection before the client has the answer.
    socket.resume();
    socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });
}
