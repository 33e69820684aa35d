/** Calls in flight: calls to nodes, recorded so that a server's successor knows which of them may still run. */
import { type FileHandle, open, readFile, rename, writeFile } from "node:fs/promises";
import { failed, type NodeBackend, type NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, timeoutSeconds } from "@ganeti-ts/node-calls/catalog";
import type { TimeOfDay, Timers } from "@ganeti-ts/protocol";

/** Maximum time (ms) for which a successor waits for calls of a dead server. */
const waitMaxMs = 900_000;

/** Interval (ms) at which it is checked whether the calls of a dead server have ended. */
const lookMs = 1000;

/** Size of the file from which it is emptied when no call is in flight (bytes). */
const emptiedFrom = 1024 * 1024;

interface Sent {
  readonly key: string;
  readonly lease: string;
  readonly node: string;
  readonly call: string;
  /** Milliseconds since the epoch: the call has ended by then in any case. */
  readonly until: number;
}

export interface CallsInFlight {
  /**
   * The back end, with calls recorded before they are sent: those that change something and may take longer than
   * a few minutes (class normal or longer). Such a call waits for the file to be on disk.
   */
  recording(nodes: NodeBackend): NodeBackend;
  /** Resolves when all that an earlier server sent under this lease has ended, at the latest after 15 minutes. */
  ended(lease: string): Promise<void>;
}

/** Durable records of calls that have been sent and not answered. */
export interface CallRecords {
  /** Resolves when the call may be sent. Rejects with the reason why it must not be sent. */
  sent(call: SentCall, lease: string): Promise<void>;
  /** Returns at once: a lost record of an end only makes a successor wait longer. */
  answered(key: string): void;
  /** Time (ms) until everything that was sent under this lease has ended. */
  leftMs(lease: string): Promise<number>;
}

export interface SentCall {
  readonly key: string;
  readonly node: string;
  readonly call: string;
  /** How long it may have effects (ms). */
  readonly forMs: number;
}

/** Calls in flight on these records. */
export function callsInFlight(records: CallRecords, clock: Timers): CallsInFlight {
  let count = 0;
  return {
    recording: (nodes) => ({
      introduce: (node) => nodes.introduce(node),
      call: async (node, name, args, caller) => {
        const forMs = effectMs(name);
        if (forMs === undefined) return nodes.call(node, name, args, caller);
        const key = `${caller.lease}#${process.pid}#${count++}`;
        try {
          await records.sent({ key, node, call: name, forMs }, caller.lease);
        } catch (error) {
          return failed(`The call could not be recorded: ${(error as Error).message}`);
        }
        const answer = await nodes.call(node, name, args, caller);
        records.answered(key);
        return answer;
      },
    }),
    async ended(lease) {
      // The dead server may still receive answers, and remove its records.
      for (let waitMs = await records.leftMs(lease); waitMs > 0; ) {
        await new Promise<void>((resolve) => clock.after(Math.min(waitMs, lookMs), resolve));
        waitMs = await records.leftMs(lease);
      }
    },
  };
}

/** Records in a file, for the only server of a cluster. */
export async function openCallsFile(file: string, clock: TimeOfDay & Timers): Promise<CallRecords> {
  const left = (await readLeft(file)).filter(({ until }) => until > nowMs(clock));
  await writeFile(`${file}.new`, left.map(lineOf).join(""), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return new Recorder(file, left, clock);
}

const nowMs = (clock: TimeOfDay): number => clock.wallMicros() / 1000;

const lineOf = (entry: Sent | { readonly ended: string }): string => `${JSON.stringify(entry)}\n`;

/** Calls that were sent and have not ended. A truncated last line is ignored: its call was never sent. */
async function readLeft(file: string): Promise<readonly Sent[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const sent = new Map<string, Sent>();
  for (const line of text.split("\n").slice(0, -1)) {
    const entry = JSON.parse(line) as Sent | { readonly ended: string };
    if ("ended" in entry) sent.delete(entry.ended);
    else sent.set(entry.key, entry);
  }
  return [...sent.values()];
}

/** Copies of whole files, which every server sends again: successors need not wait for them. */
const copies: ReadonlySet<NodeCallName> = new Set([
  ...(["upload_file", "upload_file_single", "write_ssconf_files"] as const),
]);

/** How long a call may have effects (ms); undefined if nothing has to wait for its end. */
function effectMs(name: NodeCallName): number | undefined {
  const { timeout, repeat } = catalogEntry(name);
  if (copies.has(name) || repeat === "looks" || timeout === "urgent" || timeout === "fast")
    return undefined;
  return Math.min(timeoutSeconds[timeout] * 1000, waitMaxMs);
}

class Recorder implements CallRecords {
  readonly #path: string;
  readonly #left: readonly Sent[];
  readonly #clock: TimeOfDay & Timers;
  readonly #running = new Set<string>();
  #bytes = 0;
  #lines: string[] = [];
  #writing: Promise<void> | undefined;

  constructor(path: string, left: readonly Sent[], clock: TimeOfDay & Timers) {
    this.#path = path;
    this.#left = left;
    this.#clock = clock;
  }

  async sent({ key, node, call, forMs }: SentCall, lease: string): Promise<void> {
    this.#running.add(key);
    try {
      const until = nowMs(this.#clock) + forMs;
      await this.#written(lineOf({ key, lease, node, call, until }));
    } catch (error) {
      this.#running.delete(key);
      throw error;
    }
  }

  answered(key: string): void {
    this.#running.delete(key);
    this.#written(lineOf({ ended: key })).catch(() => undefined);
  }

  async leftMs(lease: string): Promise<number> {
    const own = this.#left.filter((sent) => sent.lease === lease);
    const until = Math.max(0, ...own.map((sent) => sent.until));
    return Math.max(0, until - nowMs(this.#clock));
  }

  /** Appends a line durably; lines that arrive during a write share the next one. @throws errors of the file system */
  #written(line: string): Promise<void> {
    this.#lines.push(line);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    let file: FileHandle | undefined;
    try {
      // Opened for each group of lines, so that a server that stops has nothing to close. Meanwhile the lines of other
      // callers arrive.
      file = await open(this.#path, "a", 0o600);
      while (this.#lines.length > 0) {
        const text = this.#lines.join("");
        this.#lines = [];
        await file.appendFile(text);
        await file.datasync();
        this.#bytes += text.length;
        if (this.#running.size === 0 && this.#lines.length === 0) await this.#empty(file);
      }
    } finally {
      this.#writing = undefined;
      await file?.close();
    }
  }

  async #empty(file: FileHandle): Promise<void> {
    if (this.#bytes < emptiedFrom || this.#left.length > 0) return;
    this.#bytes = 0;
    await file.truncate(0);
  }
}
