/** Output of a followed job. */
import { type Json, pythonText } from "@ganeti-ts/protocol";
import type { LogEntry } from "../cluster.js";
import type { Invocation } from "../invocation.js";
import { LiveLine } from "../live-line.js";
import { ctimeText } from "../time-text.js";
import { HeldLine } from "./held-line.js";
import { SyncLine } from "./sync-line.js";

/** Receives the events of one job. */
export interface Reporter {
  log(entry: LogEntry): void;
  /** The job stays in this state, perhaps for long. */
  unchanged(status: string | undefined): void;
  /** The job has ended, or is no longer followed. */
  end(): void;
}

/** Prints nothing. */
export const silent: Reporter = { log: () => {}, unchanged: () => {}, end: () => {} };

/** Parts of an invocation needed to print a job's messages. */
export type Printed = Pick<Invocation, "out" | "cluster" | "now">;

/** Seconds without news after which the reason for waiting is printed. */
const patienceSeconds = 60;

/**
 * Lines as Ganeti prints them. A terminal also has a temporary last line with the reason why the
 * job is held, or the progress of disks, which is not repeated line by line there.
 */
export function printing({ out, cluster, now }: Printed, id: number): Reporter {
  // With --json standard output is reserved for the document.
  const line = (text: string) => (out.json ? out.error(text) : out.line(text));
  const live = new LiveLine(out);
  const syncing = new SyncLine(live, now);
  const held = new HeldLine(live, id, (job) => cluster.why(job));
  const told = new Set<string>();
  let quietSince = now();
  return {
    log(entry) {
      quietSince = now();
      // The command that creates an object reports its UUID itself, and only where Ganeti's exact
      // output is not required.
      if (entry.type === "created") return;
      held.end();
      if (out.terminal !== undefined && syncing.takes(String(entry.message))) return;
      syncing.end();
      const text = feedbackLine(entry);
      line(out.colour ? painted(text) : text);
    },
    unchanged(status) {
      if (syncing.show()) return;
      const seconds = Number(now() - quietSince) / 1e9;
      const text = status === undefined ? undefined : waits[status]?.(id);
      if (text === undefined) return held.end();
      if (out.terminal !== undefined) return held.show(text);
      if (seconds < patienceSeconds || told.has(text)) return;
      told.add(text);
      out.error(text);
    },
    end: () => {
      held.end();
      syncing.end();
    },
  };
}

const waits: Readonly<Record<string, (id: number) => string>> = {
  queued: (id) => `Job ${id} is waiting in queue`,
  waiting: (id) => `Job ${id} is trying to acquire all necessary locks`,
};

/** `Fri Nov 20 21:00:00 2026 * creating instance disks...` */
const feedbackLine = ({ time: [seconds], type, message }: LogEntry): string =>
  `${ctimeText(seconds)} ${messageText(type, message)}`;

/** One line of printable characters, whatever the message contains. */
export const messageText = (type: string, message: Json): string =>
  safe(type === "message" ? String(message) : pythonText(message));

function safe(text: string): string {
  return text.replace(/[^ -~]/gu, (sign) => {
    if (sign === "\t") return "\\t";
    if (sign === "\n") return "\\n";
    if (sign === "\r") return "\\'r";
    const code = sign.codePointAt(0) as number;
    const hex = code.toString(16);
    if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  });
}

const colours: Readonly<Record<string, number>> = { ERROR: 31, WARNING: 33 };

/** Colours from `- ERROR` or `- WARNING` to the end of the line; other lines stay unchanged. */
export const painted = (line: string): string =>
  line.replace(/- (ERROR|WARNING)\b.*$/, (finding, kind: string) => {
    return `\x1b[${colours[kind]}m${finding}\x1b[0m`;
  });
