/** Jobs, log entries and rules as the text in a column, and back. */
import {
  FilterRule,
  type Job,
  type Json,
  jobDocument,
  jobOf,
  type LogEntry,
  parseJson,
  type WireJob,
  writeJson,
} from "@ganeti-ts/protocol";

/** Without its log, which has a table of its own. */
export const jobText = (job: Job): string => writeJson(jobDocument(job, { logs: false }));

/** A log entry as stored, and the opcode it belongs to. */
export interface StoredEntry {
  readonly opcode: number;
  readonly text: string;
}

/** Of what `jobText` wrote; not checked again. */
export function jobOfText(text: string, log: readonly StoredEntry[]): Job {
  const job = jobOf(parseJson(text) as WireJob);
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

export const entryText = (entry: LogEntry): string => writeJson(entry as Json);

export const ruleText = (rule: FilterRule): string => writeJson(rule as Json);

export const ruleOfText = (text: string): FilterRule => FilterRule.parse(parseJson(text));
