/**
 * Execution of job sets: the jobs of a set run in parallel, the next set starts when all of them have
 * succeeded. Source: Ganeti, Jobs.hs.
 */
import { DataError } from "@ganeti-ts/htools";
import {
  isFinalized,
  type JobId,
  type JobStatus,
  quoted,
  statusConstant,
} from "@ganeti-ts/protocol";
import type { Ports } from "../ports.js";
import { print } from "../program.js";
import {
  type ConnectRunner,
  type Job,
  JobError,
  type JobRunner,
  type Opcode,
} from "./job-runner.js";
import { opcodeRecord } from "./opcode-record.js";

export interface JobSet {
  /** Name of the set in the message about an interrupted execution. */
  readonly description: string;
  /** Opcodes without common parameters. */
  readonly jobs: readonly Job[];
}

export interface Execution {
  /** The program's name. */
  readonly program: string;
  readonly sets: readonly JobSet[];
  /** Adds the common parameters to an opcode. */
  readonly annotate: (opcode: Opcode) => Opcode;
  /** Called for every set, so that each has its own connection. */
  readonly connect: ConnectRunner;
}

interface Ended {
  readonly id: JobId;
  readonly status: JobStatus;
}

interface Submitted {
  readonly description: string;
  readonly ended: readonly Ended[];
}

/**
 * Returns the exit code: 0 when all sets are done, or when the set running at a SIGINT has ended; 2
 * immediately on SIGTERM. Throws a DataError if jobs were refused or failed, a FileError if the connection
 * fails.
 */
export async function executeJobSets(execution: Execution, ports: Ports): Promise<0 | 2> {
  let canceled = false;
  const ignoreInterrupts = ports.onSignal("SIGINT", () => {
    canceled = true;
    print("Cancel request registered, will exit at the end of the current job set...\n", ports);
  });
  let ignoreTermination = () => {};
  const terminated = new Promise<2>((resolve) => {
    ignoreTermination = ports.onSignal("SIGTERM", () => {
      print("Double cancel request, exiting now...\n", ports);
      resolve(2);
    });
  });
  try {
    return await Promise.race([executeAll(execution, () => canceled, ports), terminated]);
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    throw new DataError(`${execution.program}: ${error.message}`, { cause: error });
  } finally {
    ignoreInterrupts();
    ignoreTermination();
  }
}

async function executeAll(
  { sets, annotate, connect }: Execution,
  isCanceled: () => boolean,
  ports: Ports,
): Promise<0> {
  const submitted: Submitted[] = [];
  for (const [index, { description, jobs }] of sets.entries()) {
    if (isCanceled()) {
      print(earlyExit(submitted, sets.slice(index)), ports);
      return 0;
    }
    const runner = await connect();
    try {
      const annotated = jobs.map((job) => job.map(annotate));
      const ended = await runJobs(runner, annotated, ports, (ids) =>
        print(`Got job IDs ${ids.join(",")}\n`, ports),
      );
      const failed = ended.filter(({ status }) => status !== "success");
      if (failed.length > 0) throw new JobError(failureText(failed));
      submitted.push({ description, ended });
    } finally {
      runner.close();
    }
  }
  return 0;
}

/** Polling interval (ms): the first, and the limit up to which it doubles. */
const pauseMs = { first: 500, max: 15_000 };

/** Submits jobs and waits until all have ended, successfully or not. Throws a JobError or FileError. */
export async function runJobs(
  runner: JobRunner,
  jobs: readonly Job[],
  { sleep }: Ports,
  onSubmitted: (ids: readonly JobId[]) => void = () => {},
): Promise<readonly Ended[]> {
  const ids = await runner.submit(jobs);
  onSubmitted(ids);
  for (let pause = pauseMs.first; ; pause = Math.min(2 * pause, pauseMs.max)) {
    await sleep(pause);
    const statuses = await runner.statuses(ids);
    if (statuses.every(isFinalized)) {
      return ids.map((id, index) => ({ id, status: statuses[index] as JobStatus }));
    }
  }
}

function failureText(failed: readonly Ended[]): string {
  const list = failed.map(
    ({ id, status }) => `(JobId {fromJobId = ${id}},${statusConstant(status)})`,
  );
  return `Not all jobs completed successfully: [${list.join(",")}]\nAborting.\n`;
}

function earlyExit(submitted: readonly Submitted[], others: readonly JobSet[]): string {
  const done = submitted.map(({ description, ended }) => {
    const jobs = ended.map(({ id, status }) => `(${id},${statusConstant(status)})`);
    return `(${quoted(description)},[${jobs.join(",")}])`;
  });
  const open = others.map(({ description, jobs }) => {
    const records = jobs.map((job) => `[${job.map(opcodeRecord).join(",")}]`);
    return `(${quoted(description)},[${records.join(",")}])`;
  });
  // The second line lacks a blank, and two lines end with one, as in Ganeti.
  return [
    "Exiting early due to user request, ",
    `${submitted.length}jobset(s) submitted: `,
    `[${done.join(",")}]`,
    `${others.length} jobset(s) not submitted:`,
    `[${open.join(",")}]`,
    "",
  ].join("\n");
}
