/** Parsers for the log lines of socat and dd, and the progress of a transfer. */
import { bytesPerMib } from "@ganeti-ts/protocol";

export type SocatEvent =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "connected" }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "nothing" };

/** `DATE TIME socat[PID] LEVEL MESSAGE` */
export function readSocatLine(line: string): SocatEvent {
  const [, level, message = ""] = /^\S+ \S+ socat\[\d+\] ([A-Z]) (.*)$/.exec(line) ?? [];
  if (level === undefined) return { kind: "message", text: `socat: ${line}` };
  const listening = /^listening on AF=\d+ \S+:(\d+)$/.exec(message);
  if (level === "N" && listening !== null) return { kind: "listening", port: Number(listening[1]) };
  if (level === "N" && message.startsWith("starting data transfer loop"))
    return { kind: "connected" };
  if ("DIN".includes(level)) return { kind: "nothing" };
  return { kind: "message", text: `socat: ${level} ${message}` };
}

export type DdEvent =
  | { readonly kind: "progress"; readonly bytes: number; readonly seconds: number }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "nothing" };

export function readDdLine(line: string): DdEvent {
  if (/^\d+\+\d+ records (in|out)$/.test(line)) return { kind: "nothing" };
  const found = /^(\d+) bytes? .*copied, ([\d.]+(?:e-?\d+)?) s/.exec(line);
  if (found === null) return { kind: "message", text: `dd: ${line}` };
  return { kind: "progress", bytes: Number(found[1]), seconds: Number(found[2]) };
}

export interface Progress {
  readonly mebibytes: number;
  /** Null if there are fewer than two samples. */
  readonly throughput: number | null;
  readonly percent: number | null;
  readonly etaSeconds: number | null;
}

const samplesMax = 12;

/** Progress of one transfer, computed from samples of dd. */
export class ProgressMeter {
  /** Expected size (MiB), once it is known. */
  expectedMib: number | null = null;
  readonly #samples: { readonly atMs: number; readonly mib: number }[] = [];

  add(atMs: number, bytes: number): void {
    this.#samples.push({ atMs, mib: bytes / bytesPerMib });
    if (this.#samples.length > samplesMax) this.#samples.shift();
  }

  /** Null before the first sample. */
  get progress(): Progress | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined) return null;
    const seconds = (last.atMs - first.atMs) / 1000;
    const throughput = seconds > 0 ? (last.mib - first.mib) / seconds : null;
    const mebibytes = Math.round(last.mib);
    const expected = this.expectedMib;
    if (expected === null) return { mebibytes, throughput, percent: null, etaSeconds: null };
    const percent = expected > 0 ? Math.min(100, (100 * last.mib) / expected) : 100;
    const etaSeconds = throughput ? Math.max(0, (expected - last.mib) / throughput) : null;
    return { mebibytes, throughput, percent, etaSeconds };
  }
}
