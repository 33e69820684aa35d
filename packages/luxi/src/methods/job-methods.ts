/** Methods about jobs and their queue. */
import { JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import { AnyJson, Flag, JobIdArgument, JobIds, Texts, Whole } from "./arguments.js";
import { method } from "./define.js";
import { OpcodeArgument } from "./opcode-argument.js";
import { JobChange, Outcome, Rows, Submission } from "./results.js";

const Opcodes = z.array(OpcodeArgument, "Unable to read list").readonly();

/** Longest wait of `WaitForJobChange` (s): a client gives up at twice that. */
const waitSecondsMax = 89;

export const jobMethods = {
  SubmitJob: method({ parameters: { opcodes: Opcodes }, result: JobId, submits: true }),
  SubmitJobToDrainedQueue: method({
    parameters: { opcodes: Opcodes },
    result: JobId,
    submits: true,
  }),
  SubmitManyJobs: method({
    parameters: { jobs: z.array(Opcodes, "Unable to read list").readonly() },
    result: z.array(Submission).readonly(),
    submits: true,
  }),
  WaitForJobChange: method({
    parameters: {
      id: JobIdArgument,
      fields: Texts,
      /** The values last received, or null. */
      previous: AnyJson,
      /** The highest serial of a log entry received; null and anything unreadable: none yet. */
      serial: z.int().nullable().catch(null),
      /** Time to wait in seconds, 0 to 89. */
      seconds: Whole.transform((value) => Math.min(Math.max(value, 0), waitSecondsMax)),
    },
    result: JobChange,
    arityFault: "Parsing WaitForJobChange message: Not enough values",
  }),
  QueryJobs: method({
    parameters: { ids: JobIds.nullable(), fields: Texts },
    result: Rows,
    arityFault: "Unable to read Pair",
    quotedAlone: ["ids"],
  }),
  CancelJob: method({
    parameters: { id: JobIdArgument, kill: Flag.default(false) },
    required: 1,
    result: Outcome,
    arityFault: "Unable to read Pair",
    alternative: "Unable to read 1 tuple",
  }),
  ArchiveJob: method({ parameters: { id: JobIdArgument }, result: z.boolean() }),
  AutoArchiveJobs: method({
    /** Both in seconds: the age of ended jobs (negative: all), and the time that archiving may take. */
    parameters: { age: Whole, timeout: Whole },
    /** Jobs archived, and jobs not examined when the time was over. */
    result: z.tuple([z.int(), z.int()]).readonly(),
    arityFault: "Unable to read Pair",
  }),
  ChangeJobPriority: method({
    parameters: { id: JobIdArgument, priority: Whole },
    result: Outcome,
    arityFault: "Unable to read Pair",
  }),
  PickupJob: method({ parameters: { id: JobIdArgument }, result: z.null() }),
  SetDrainFlag: method({ parameters: { drained: Flag }, result: z.boolean() }),
  SetWatcherPause: method({
    /** Seconds since the epoch; null, and anything that is not a number: no pause. */
    parameters: { until: z.number().nullable().catch(null) },
    result: z.number().nullable(),
  }),
};
