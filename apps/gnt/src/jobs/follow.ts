/** Submission of jobs by commands: one that is awaited, or several. */
import type { Json } from "@ganeti-ts/protocol";
import type { LogEntry, OpcodeJson, Submitted } from "../cluster.js";
import type { ExitCode } from "../command.js";
import { ConnectionFailure, GanetiError, Interrupted, JobSubmitted } from "../errors.js";
import { encodedError, failureText } from "../failure.js";
import type { Invocation } from "../invocation.js";
import { awaitJob } from "./await-job.js";
import { completedOpcode } from "./completed-opcode.js";
import { printing, type Reporter } from "./feedback.js";

/**
 * Submits one opcode as a job, prints its messages as they arrive and returns its result. With
 * `--submit` it only submits.
 *
 * @throws the errors of failure.ts: JobSubmitted, the job's failure, Interrupted
 */
export async function runOpcode(invocation: Invocation, opcode: OpcodeJson): Promise<Json> {
  const [result = null] = await runJob(invocation, [opcode]);
  return result;
}

/** A command that runs one opcode: 0, or 1 if the user does not agree. The opcode is made first. */
export const runs =
  (
    opcodeOf: (invocation: Invocation) => OpcodeJson,
    isAgreed: (invocation: Invocation) => Promise<boolean> = async () => true,
  ) =>
  async (invocation: Invocation): Promise<ExitCode> => {
    const opcode = opcodeOf(invocation);
    if (!(await isAgreed(invocation))) return 1;
    await runOpcode(invocation, opcode);
    return 0;
  };

export interface Following {
  /** Replaces the printing of messages. */
  readonly report?: Reporter;
  /** Messages to leave out. */
  readonly skips?: (entry: LogEntry) => boolean;
  /** Wrapper around the submission, for a condition that must hold meanwhile. */
  readonly submitting?: (submit: Submit) => ReturnType<Submit>;
}

type Submit = () => ReturnType<Invocation["cluster"]["submit"]>;

/** Like `runOpcode`, for a job of several opcodes: their results. */
export async function runJob(
  invocation: Invocation,
  opcodes: readonly OpcodeJson[],
  { report, skips, submitting = (submit) => submit() }: Following = {},
): Promise<readonly Json[]> {
  const { cluster, options, out } = invocation;
  const job = opcodes.map((one) => completedOpcode(invocation, one));
  const [answer] = await submitting(() => cluster.submit([job]));
  const id = acceptedId(answer);
  if (options.knows("print-jobid") && options.flag("print-jobid")) out.line(String(id));
  if (options.knows("submit") && options.flag("submit")) {
    out.document({ job: id });
    throw new JobSubmitted(id);
  }
  try {
    const all = report ?? printing(invocation, id);
    const some = {
      ...all,
      log: (entry: LogEntry) => (skips?.(entry) ? undefined : all.log(entry)),
    };
    const results = await awaitJob(cluster, id, some);
    out.document({ job: id, status: "success", results });
    return results;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    out.document({ job: id, status: "error", error: failureText(error) });
    throw error;
  }
}

/** @throws GanetiError with the refusal of the queue */
export function acceptedId(answer: Submitted | undefined): number {
  if (answer !== undefined && "id" in answer) return answer.id;
  const problem = answer?.refused ?? "the server gave no job";
  throw encodedError(answer?.error) ?? new GanetiError("GenericError", [problem]);
}

export interface NamedJob {
  /** Object of the job, named in messages. */
  readonly name: string;
  readonly opcodes: readonly OpcodeJson[];
}

/** End of one of several jobs: its results, or the text of its failure. */
export type JobEnd =
  | { readonly ok: true; readonly results: readonly Json[] }
  | { readonly ok: false; readonly problem: string };

export interface Manner {
  /** Leaves out the line about the submission, for a single object. */
  readonly quiet?: boolean;
}

/**
 * Runs several jobs of one opcode each: 0 if all succeeded, else 1. With `--submit` only their ids
 * are printed.
 */
export async function runMany(
  invocation: Invocation,
  items: readonly { readonly name: string; readonly opcode: OpcodeJson }[],
  manner: Manner = {},
): Promise<ExitCode> {
  const jobs = items.map(({ name, opcode }) => ({ name, opcodes: [opcode] }));
  const ends = await runJobs(invocation, jobs, manner);
  return ends.every(({ ok }) => ok) ? 0 : 1;
}

/**
 * Submits all jobs, then waits for each and prints its outcome; returns the ends in the order of
 * `jobs`.
 */
export async function runJobs(
  invocation: Invocation,
  jobs: readonly NamedJob[],
  manner: Manner = {},
): Promise<readonly JobEnd[]> {
  const { cluster, options } = invocation;
  const answers = await cluster.submit(
    jobs.map(({ opcodes }) => opcodes.map((one) => completedOpcode(invocation, one))),
  );
  const submitted = jobs.map(({ name }, at) => ({ name, answer: answers[at] as Submitted }));
  if (options.knows("submit") && options.flag("submit")) return shown(invocation, submitted);
  return awaitJobs(invocation, submitted, manner);
}

export interface SubmittedJob {
  readonly name: string;
  readonly answer: Submitted;
}

function shown({ out }: Invocation, jobs: readonly SubmittedJob[]): readonly JobEnd[] {
  out.document(jobs.map(({ name, answer }) => ({ name, ...answer })));
  return jobs.map(({ name, answer }) => {
    if ("id" in answer) {
      out.line(`${answer.id}: ${name}`);
      return { ok: true, results: [] };
    }
    out.error(`Failure for ${name}: ${answer.refused}`);
    return { ok: false, problem: answer.refused };
  });
}

/** Waits for running jobs, which may include jobs of other clients. */
export async function awaitJobs(
  invocation: Invocation,
  jobs: readonly SubmittedJob[],
  { quiet = false }: Manner = {},
): Promise<readonly JobEnd[]> {
  const { out } = invocation;
  const line = (text: string) => (out.json ? out.error(text) : out.line(text));
  const ids = jobs.flatMap(({ answer }) => ("id" in answer ? [answer.id] : []));
  if (ids.length > 0 && !quiet) line(`Submitted jobs ${ids.join(", ")}`);
  const ends = new Map<SubmittedJob, JobEnd>();
  for (const job of jobs) {
    if ("id" in job.answer) continue;
    const { refused } = job.answer;
    out.error(`Failed to submit job${about(job.name)}: ${refused}`);
    ends.set(job, { ok: false, problem: refused });
  }
  const open = jobs.filter((job) => !ends.has(job));
  try {
    while (open.length > 0) {
      const job = await nextToWaitFor(invocation, open);
      open.splice(open.indexOf(job), 1);
      ends.set(job, await endOf(invocation, job));
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const left = ids.filter((id) => !isEnded(jobs, ends, id));
    throw new Interrupted(left, left.length === 1 ? error.status : undefined);
  }
  const all = jobs.map((job) => ({ job, end: ends.get(job) as JobEnd }));
  out.document(all.map(({ job, end }) => ({ name: job.name, ...job.answer, ...end })));
  return all.map(({ end }) => end);
}

const isEnded = (
  jobs: readonly SubmittedJob[],
  ends: ReadonlyMap<SubmittedJob, JobEnd>,
  id: number,
): boolean => jobs.some((job) => "id" in job.answer && job.answer.id === id && ends.has(job));

const about = (name: string) => (name === "" ? "" : ` for ${name}`);

const idOf = ({ answer }: SubmittedJob): number => ("id" in answer ? answer.id : 0);

async function endOf(invocation: Invocation, job: SubmittedJob): Promise<JobEnd> {
  const { cluster, out } = invocation;
  const id = idOf(job);
  const line = (text: string) => (out.json ? out.error(text) : out.line(text));
  line(`Waiting for job ${id}${about(job.name)} ...`);
  try {
    return { ok: true, results: await awaitJob(cluster, id, printing(invocation, id)) };
  } catch (error) {
    if (error instanceof Interrupted || error instanceof ConnectionFailure) throw error;
    const problem = failureText(error);
    const lost = error instanceof GanetiError && error.className === "JobLost";
    out.error(
      lost
        ? `Job ${id}${about(job.name)} has been archived, cannot check its result`
        : `Job ${id}${about(job.name)} has failed: ${problem}`,
    );
    return { ok: false, problem };
  }
}

/** Number of jobs whose status is checked to choose the next one to follow. */
const lookedAt = 25;

/** The first running one, so that its messages are shown live; otherwise the first. */
async function nextToWaitFor(
  { cluster }: Invocation,
  open: readonly SubmittedJob[],
): Promise<SubmittedJob> {
  const [first] = open as readonly [SubmittedJob];
  if (open.length === 1) return first;
  const some = open.slice(0, lookedAt);
  const { data } = await cluster.query(
    "job",
    ["id", "status"],
    ["|", ...some.map((job) => ["==", "id", idOf(job)] as const)],
  );
  const statuses = new Map(data.map(([id, status]) => [id?.[1], status?.[1]]));
  const waiting = ["queued", "waiting", "canceling"];
  return some.find((job) => !waiting.includes(String(statuses.get(idOf(job))))) ?? first;
}
