/**
 * A connection to a master's local socket: one call after the other, each answered in full. A module
 * of its own, so that `node:net` loads only when a master is asked.
 */
import { createConnection, type Socket } from "node:net";
import { luxiEnd } from "@ganeti-ts/protocol";
import { FileError } from "../file-error.js";
import type { LuxiConnection } from "../ports.js";

/** As Ganeti's own programs: to connect, and without a sign of an answer. */
const patience = { connectMs: 10_000, answerMs: 60_000 };

/** Whole clusters come in one answer; this is more than any has. */
const bytesMax = 1 << 29;

/** Throws a FileError. */
export async function connectLuxi(
  path: string,
  { connectMs, answerMs } = patience,
): Promise<LuxiConnection> {
  const socket = createConnection({ path });
  socket.setTimeout(connectMs);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", (error) => reject(connectError(error)));
    socket.once("timeout", () => reject(timeout("creating a connection")));
  }).catch((error) => {
    socket.destroy();
    throw error;
  });
  socket.removeAllListeners();
  socket.setTimeout(answerMs);
  const replies = new Replies(socket);
  return {
    exchange: (call) => {
      const reply = replies.next();
      socket.write(call);
      socket.write(Uint8Array.of(luxiEnd));
      return reply;
    },
    close: () => {
      socket.removeAllListeners().on("error", () => {});
      socket.destroy();
    },
  };
}

/** What comes back, cut at its ends. A connection that has failed stays so. */
class Replies {
  #parts: Buffer[] = [];
  #length = 0;
  #failure: FileError | undefined;
  #waiting:
    | { resolve: (reply: Uint8Array) => void; reject: (error: FileError) => void }
    | undefined;

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("end", () => this.#fail(endOfFile()));
    socket.on("error", (error) => this.#fail(readError(error)));
    socket.on("timeout", () => {
      if (this.#waiting === undefined) return;
      this.#fail(timeout("reading a response"));
      socket.destroy();
    });
  }

  next(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting = { resolve, reject };
    });
  }

  #take(chunk: Buffer): void {
    const end = chunk.indexOf(luxiEnd);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > bytesMax) this.#fail(tooMuch());
    if (end < 0) return;
    const reply = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(reply);
  }

  #fail(error: FileError): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

// Ganeti's programs tell the number of the socket, which is their first descriptor.
const socketName = "<socket: 3>";

const kinds: Readonly<Record<string, string>> = {
  ENOENT: "does not exist (No such file or directory)",
  ECONNREFUSED: "does not exist (Connection refused)",
  ENOTDIR: "inappropriate type (Not a directory)",
  EACCES: "permission denied (Permission denied)",
  EPERM: "permission denied (Operation not permitted)",
  EAGAIN: "resource exhausted (Resource temporarily unavailable)",
};

function connectError(error: NodeJS.ErrnoException): FileError {
  const { code = "" } = error;
  const text = kinds[code] ?? `failed (${error.message})`;
  return new FileError(code, `Network.Socket.connect: ${socketName}: ${text}`, { cause: error });
}

const readError = (error: NodeJS.ErrnoException): FileError =>
  new FileError(
    error.code ?? "",
    `${socketName}: hWaitForInput: resource vanished (${error.code === "EPIPE" ? "Broken pipe" : "Connection reset by peer"})`,
    { cause: error },
  );

const endOfFile = () => new FileError("EOF", `${socketName}: hWaitForInput: end of file`, {});

const timeout = (step: string) => new FileError("ETIMEDOUT", `user error (Timeout in ${step})`, {});

const tooMuch = () =>
  new FileError("EMSGSIZE", `${socketName}: an answer of more than ${bytesMax} bytes`, {});
