/** All methods of the protocol, by their names on the wire. */

import { JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import { AnyJson, Flag, JobIdArgument, JobIds, Texts, Whole } from "./arguments.js";
import { method, type Parameters } from "./define.js";
import { OpcodeArgument } from "./opcode-argument.js";
import { queryMethods } from "./query-methods.js";
import { JobChange, Outcome, Rows, Submission } from "./results.js";

const Opcodes = z.array(OpcodeArgument, "Unable to read list").readonly();

/** Longest wait of `WaitForJobChange` (s): a client gives up at twice that. */
const waitSecondsMax = 89;

const jobMethods = {
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

/** Definitions of all methods by name. */
export const luxiMethods = { ...jobMethods, ...queryMethods };

/** Name of a method. */
export type MethodName = keyof typeof luxiMethods;

/** The arguments of a method, by name. */
export type Arguments<M extends MethodName> = ArgumentsOf<(typeof luxiMethods)[M]["parameters"]>;

type ArgumentsOf<P extends Parameters> = { readonly [Name in keyof P]: z.output<P[Name]> };

/** Answer of a method. */
export type Result<M extends MethodName> = z.output<(typeof luxiMethods)[M]["result"]>;

export const isMethodName = (name: unknown): name is MethodName =>
  typeof name === "string" && Object.hasOwn(luxiMethods, name);
