/**
 * Destination of log lines: a file descriptor that may be full, stuck or closed without blocking
 * the server.
 */
import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface LogDestinationOptions {
  /** Maximum size of lines kept while they cannot be written; further lines are dropped and counted. */
  readonly bytesMax?: number;
  /** Time (ms) between two attempts after a failed one. */
  readonly retryMs?: number;
}

export interface LogFigures {
  /** Lines dropped since the start. */
  readonly dropped: number;
  /** Lines that have not been written yet. */
  readonly waiting: number;
}

/** Maximum size of one write. */
const chunkBytesMax = 64 * 1024;

/**
 * Writes lines in the background, in order. When writing fails (no space, no reader, an error of the device) it is tried
 * again; meanwhile up to `bytesMax` bytes are kept, further lines are dropped and counted. As soon as there is room
 * again, a line of the log tells how many are missing at that place. `write` neither throws nor waits.
 */
export class LogDestination {
  readonly #fd: number;
  readonly #mayBlock: boolean;
  readonly #bytesMax: number;
  readonly #retryMs: number;
  /** Lines to be written; lines dropped after them are reported before the next one. */
  #lines: Buffer[] = [];
  #bytes = 0;
  #droppedSinceReport = 0;
  #dropped = 0;
  /** Bytes that are being written in the background. */
  #inFlight = 0;
  #retry: NodeJS.Timeout | undefined;
  /** Nothing more is written in the background. */
  #isEnding = false;
  #isAtEnd = false;
  #problem = "";

  constructor(fd: number, { bytesMax = 1024 * 1024, retryMs = 1000 }: LogDestinationOptions = {}) {
    const { fd: own, mayBlock } = withoutBlocking(fd);
    this.#fd = own;
    this.#mayBlock = mayBlock;
    this.#bytesMax = bytesMax;
    this.#retryMs = retryMs;
  }

  /** Takes one line, with its newline. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#droppedSinceReport > 0 || this.#bytes + bytes.length > this.#bytesMax) {
      // After a dropped line all others are dropped until the log can report it, so that the report stands at the gap.
      this.#droppedSinceReport += 1;
      this.#dropped += 1;
    } else this.#keep(bytes);
    this.#start();
  }

  figures(): LogFigures {
    return { dropped: this.#dropped, waiting: this.#lines.length };
  }

  /**
   * Writes a line at the end of the process, after all waiting lines. Waits for a running write for at most `limitMs`:
   * nothing can be written after one that is stuck.
   */
  async writeLast(line: string, limitMs = 1000): Promise<void> {
    this.#keep(Buffer.from(line));
    this.#isEnding = true;
    const end = performance.now() + limitMs;
    while (this.#inFlight > 0 && performance.now() < end) await pause(5);
    this.flushNow();
  }

  /** Last attempt to write waiting lines, at the end of the process. Does not wait for a reader. */
  flushNow(): void {
    // If a write is stuck, another one would block the process.
    if (this.#inFlight > 0 && this.#mayBlock) return;
    this.#isEnding = true;
    this.#isAtEnd = true;
    // A write to a file that has begun ends before the process does.
    this.#written(this.#inFlight);
    this.#inFlight = 0;
    try {
      while (this.#lines.length > 0) this.#written(writeSync(this.#fd, this.#chunk()));
    } catch {
      // The process is ending, so the error cannot be reported.
    }
  }

  #keep(line: Buffer): void {
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  #chunk(): Buffer {
    let count = 0;
    for (let bytes = 0; count < this.#lines.length && bytes < chunkBytesMax; count += 1) {
      bytes += this.#lines[count]?.length ?? 0;
    }
    return Buffer.concat(this.#lines.slice(0, count));
  }

  #start(): void {
    if (
      this.#isEnding ||
      this.#inFlight > 0 ||
      this.#retry !== undefined ||
      this.#lines.length === 0
    )
      return;
    const chunk = this.#chunk();
    this.#inFlight = chunk.length;
    write(this.#fd, chunk, (error, count) => {
      if (this.#isAtEnd) return;
      this.#inFlight = 0;
      if (error === null) this.#written(count);
      else this.#failed(error);
      this.#start();
    });
  }

  /**
   * Removes `count` written bytes. The rest of a partly written line stays and continues where it
   * ended.
   */
  #written(count: number): void {
    this.#bytes -= count;
    let left = count;
    let whole = 0;
    for (; whole < this.#lines.length; whole += 1) {
      const { length } = this.#lines[whole] as Buffer;
      if (length > left) break;
      left -= length;
    }
    this.#lines.splice(0, whole);
    if (left > 0) this.#lines[0] = (this.#lines[0] as Buffer).subarray(left);
    if (this.#droppedSinceReport > 0 && this.#lines.length === 0) this.#reportGap();
  }

  #reportGap(): void {
    const facts = {
      level: "warn",
      time: new Date().toISOString(),
      lines: this.#droppedSinceReport,
      problem: this.#problem || "too many at a time",
    };
    this.#droppedSinceReport = 0;
    this.#problem = "";
    this.#keep(
      Buffer.from(`${JSON.stringify({ ...facts, msg: "lines of the log were dropped" })}\n`),
    );
  }

  /** Retries after a pause; the timer does not keep the process alive. */
  #failed(error: NodeJS.ErrnoException): void {
    this.#problem = error.code ?? error.message;
    // A reader that is only slow makes room soon.
    const pauseMs = error.code === "EAGAIN" ? Math.min(this.#retryMs, 50) : this.#retryMs;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#start();
    }, pauseMs);
    this.#retry.unref();
  }
}

/**
 * Reopens a pipe in non-blocking mode, in which a write to a full one fails at once: a thread that is stuck in a write
 * would keep the process from ending. Other descriptors are used unchanged.
 */
function withoutBlocking(fd: number): { readonly fd: number; readonly mayBlock: boolean } {
  try {
    // As bigints: Node 20's realpathSync, and with it import(), takes the mode of the last other stat for that
    // of the path it resolves, and stops at a pipe.
    const stat = fstatSync(fd, { bigint: true });
    if (stat.isFile()) return { fd, mayBlock: false };
    if (!stat.isFIFO()) return { fd, mayBlock: true };
    const flags = constants.O_WRONLY | constants.O_NONBLOCK;
    return { fd: openSync(`/proc/self/fd/${fd}`, flags), mayBlock: false };
  } catch {
    // The descriptor is closed, or there is no /proc: a write will report errors.
    return { fd, mayBlock: true };
  }
}
