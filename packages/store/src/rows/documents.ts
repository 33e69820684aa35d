/** Conversion of jobs, log entries and rules to column texts, and back. */
import type { JobChange } from "@ganeti-ts/job-queue";
import {
  FilterRule,
  type Job,
  type Json,
  jobOf,
  type LogEntry,
  parseJson,
  type QueuedOpcode,
  queuedOpcodeOf,
  type WireJob,
  type WireQueuedOpcode,
  writeJson,
} from "@ganeti-ts/protocol";
import { jobText, opcodeText } from "./job-text.js";

/** Jobs with at most this many opcodes are written whole, which costs less than separate rows. */
export const fewOpcodes = 8;

/** Replacement for a part of a job's document: an opcode by its index, or `headPatch`. */
export interface Patch {
  readonly opcode: number;
  readonly text: string;
}

/** The patch with all of a job's data other than its opcodes. */
const headPatch = -1;

/** Text written for a change of a stored job: a document that replaces all patches, or some patches. */
export type JobWriting =
  | { readonly document: string; readonly mayHavePatches: boolean }
  | { readonly patches: readonly Patch[] };

/**
 * O(changes), except for a job that ends, whose document is written whole once, which removes patches and
 * secrets.
 */
export function jobWriting({ job, opcodes }: JobChange): JobWriting {
  const mayHavePatches = job.opcodes.length > fewOpcodes;
  if (!mayHavePatches || job.ended !== null || 2 * opcodes.length > job.opcodes.length) {
    return { document: jobText(job), mayHavePatches };
  }
  const patches = opcodes.map((index): Patch => {
    const opcode = job.opcodes[index] as QueuedOpcode;
    return { opcode: index, text: opcodeText(opcode, opcode.status !== "queued") };
  });
  return { patches: [{ opcode: headPatch, text: jobText({ ...job, opcodes: [] }) }, ...patches] };
}

/** A log entry as stored, and the opcode it belongs to. */
export interface StoredEntry {
  readonly opcode: number;
  readonly text: string;
}

/** Parses the output of `jobText` and `jobWriting` without checks. */
export function jobOfText(
  text: string,
  log: readonly StoredEntry[],
  patches: readonly Patch[] = [],
): Job {
  const job = patched(jobOf(parseJson(text) as WireJob), patches);
  if (log.length === 0) return job;
  const entries = job.opcodes.map((): LogEntry[] => []);
  for (const { opcode, text: entry } of log) {
    entries[opcode]?.push(parseJson(entry) as LogEntry);
  }
  return {
    ...job,
    opcodes: job.opcodes.map((opcode, at) => ({ ...opcode, log: entries[at] as LogEntry[] })),
  };
}

/**
 * Whether the opcodes in a text of `jobText` certainly have no dependencies, and no rate limits in their reasons.
 * Other texts that contain such words only cost their early decoding.
 */
export const isPlainText = (text: string): boolean =>
  !text.includes('"depends":[') && !text.includes("rate-limit:");

function patched(job: Job, patches: readonly Patch[]): Job {
  if (patches.length === 0) return job;
  const opcodes = [...job.opcodes];
  let head = job;
  for (const { opcode, text } of patches) {
    const document = parseJson(text);
    if (opcode === headPatch) head = jobOf(document as WireJob);
    else opcodes[opcode] = queuedOpcodeOf(document as WireQueuedOpcode);
  }
  return { ...head, opcodes };
}

export const entryText = (entry: LogEntry): string => writeJson(entry as Json);

export const ruleText = (rule: FilterRule): string => writeJson(rule as Json);

export const ruleOfText = (text: string): FilterRule => FilterRule.parse(parseJson(text));
