/** Raw connections to a server under test, which say what happened to them. */
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A path for a socket in a folder of its own, removed after the test. */
export function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "luxi-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "s");
}

/** A connection whose answers can be awaited one by one. */
export class RawClient {
  readonly socket: Socket;
  readonly #closed: Promise<void>;
  #received = "";
  #waiting = () => {};

  constructor(path: string) {
    this.socket = createConnection({ path, allowHalfOpen: true });
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => {
      this.#received += text;
      this.#waiting();
    });
    this.socket.on("error", () => {});
    this.#closed = new Promise((resolve) => {
      this.socket.on("end", () => {
        resolve();
        this.#waiting();
      });
      this.socket.on("close", () => {
        resolve();
        this.#waiting();
      });
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** The next answer, or undefined if the server has closed without one. */
  async answer(): Promise<string | undefined> {
    let over = false;
    void this.#closed.then(() => {
      over = true;
    });
    for (;;) {
      const end = this.#received.indexOf("\x03");
      if (end >= 0) {
        const text = this.#received.slice(0, end);
        this.#received = this.#received.slice(end + 1);
        return text;
      }
      await Promise.resolve();
      if (over) return undefined;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** Resolves when the server has ended its half. */
  closed(): Promise<void> {
    return this.#closed;
  }
}

export const request = (method: string, args: unknown): string =>
  `${JSON.stringify({ method, args })}\x03`;
