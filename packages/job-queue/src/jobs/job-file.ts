/** Queue files of Ganeti: the text of a `job-N` file, and jobs read from such texts. */
import {
  type Job,
  type JobId,
  type Json,
  jobDocument,
  type QueuedOpcode,
  readJob,
  writeJson,
} from "@ganeti-ts/protocol";
import { withoutSecretInput, withoutSecrets } from "./secrets.js";

/** Jobs in one folder of the archive, as in Ganeti. */
const jobsPerFolder = 10_000;

/**
 * The text that Ganeti's master writes into `job-N`: secrets are redacted, and characters outside of ASCII, on which
 * Ganeti 3.0 breaks, become question marks. Log entries of types that are ours are left out.
 */
export function jobFile(job: Job): string {
  const opcodes = job.opcodes.map((opcode) => readable(withoutSecretInput(opcode)));
  return writeJson(jobDocument({ ...job, opcodes })).replace(/[^\x20-\x7e]/g, "?");
}

/** Types of log entries that Ganeti knows: with any other one it does not read the file at all. */
const knownTypes: ReadonlySet<string> = new Set([
  ...["message", "message-list", "remote-import", "jqueue-test", "delay-test"],
]);

const readable = (opcode: QueuedOpcode): QueuedOpcode => ({
  ...opcode,
  result: withoutSecrets(opcode.result),
  log: opcode.log.filter(([, , type]) => knownTypes.has(type)),
});

/** The job in the text of a `job-N` file. @throws JsonError, ZodError if it is not one */
export const readJobFile = (text: string): Job => readJob(text);

/** Whether the input of an opcode that has not ended lacks a secret, which its file does not contain. */
export const lacksSecrets = ({ opcodes }: Job): boolean =>
  opcodes.some(({ status, input }) => isUnfinished(status) && hasRedacted(input));

const isUnfinished = (status: string): boolean =>
  status !== "success" && status !== "error" && status !== "canceled";

const hasRedacted = (value: Json): boolean =>
  value === "<redacted>" ||
  (typeof value === "object" && value !== null && Object.values(value).some(hasRedacted));

/** Name of the file below the queue folder. */
export const jobFileName = (id: JobId): string => `job-${id}`;

/** The same for an archived job. */
export const archivedJobFileName = (id: JobId): string =>
  `archive/${Math.floor(id / jobsPerFolder)}/job-${id}`;
