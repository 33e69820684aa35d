/** Writer of job documents: the text of `jobDocument` without logs, composed without intermediate objects. */
import type { Job, Json, QueuedOpcode, Timestamp } from "@ganeti-ts/protocol";
import { writeJson } from "@ganeti-ts/protocol";

/**
 * The document of a job without its log, which has a separate table. A job that has been started is written a
 * second time when it ends: the texts of its inputs are kept as long as these live.
 */
export function jobText(job: Job): string {
  const isStarted = job.started !== null;
  let opcodes = "";
  for (const opcode of job.opcodes) {
    opcodes += `${opcodes === "" ? "" : ","}${opcodeText(opcode, isStarted)}`;
  }
  const livelock = job.livelock === undefined ? "" : `,"livelock":${JSON.stringify(job.livelock)}`;
  const processId = job.processId === undefined ? "" : `,"process_id":${job.processId}`;
  return (
    `{"id":${job.id},"ops":[${opcodes}],"received_timestamp":${timeText(job.received)},` +
    `"start_timestamp":${timeText(job.started)},"end_timestamp":${timeText(job.ended)}${livelock}${processId}}`
  );
}

/** The document of one opcode without its log. `keepsInput`: it will be written again with the same input. */
export function opcodeText(opcode: QueuedOpcode, keepsInput: boolean): string {
  const { status, result, priority, started, executed, ended } = opcode;
  const input = keepsInput ? keptInputText(opcode.input) : writeJson(opcode.input);
  return (
    `{"input":${input},"status":"${status}","result":${writeJson(result)},"log":[],` +
    `"priority":${priority},"start_timestamp":${timeText(started)},` +
    `"exec_timestamp":${timeText(executed)},"end_timestamp":${timeText(ended)}}`
  );
}

const timeText = (time: Timestamp | null): string =>
  time === null ? "null" : `[${time[0]},${time[1]}]`;

/** Inputs never change; a changed one is another object. */
const inputTexts = new WeakMap<object, string>();

function keptInputText(input: Json): string {
  if (typeof input !== "object" || input === null) return writeJson(input);
  const known = inputTexts.get(input);
  if (known !== undefined) return known;
  const text = writeJson(input);
  inputTexts.set(input, text);
  return text;
}
