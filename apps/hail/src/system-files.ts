/** Files and standard streams of the operating system, through `node:fs`. */
import { readFileSync, readSync, writeFileSync, writeSync } from "node:fs";

export const readFile = (path: string): Uint8Array => readFileSync(path);

export const writeFile = (path: string, text: string): void => writeFileSync(path, text);

/** Reads standard input; it may be a pipe that has no data yet. */
export function readStdin(): Uint8Array {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    const length = whenReady(() => readSync(0, chunk));
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
  }
}

/** Throws the system's error. */
export const stdout = (text: string): void => writeAll(1, text);

/** A closed stderr must not prevent the answer on stdout. */
export function stderr(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // stderr is closed, so there is no place to report this
  }
}

/** Unlike `process.stdout`, this needs no set-up and has written everything when it returns. */
function writeAll(descriptor: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    rest = rest.subarray(whenReady(() => writeSync(descriptor, rest)));
  }
}

/** Retries after a short pause when a non-blocking pipe is full or empty. */
function whenReady(action: () => number): number {
  for (;;) {
    try {
      return action();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
