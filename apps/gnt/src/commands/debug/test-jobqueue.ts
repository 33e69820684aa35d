/**
 * `gnt-debug test-jobqueue`: tests submission, dependencies, messages and failures of jobs on the
 * live queue.
 */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { execError, GanetiError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { awaitJob } from "../../jobs/await-job.js";
import { completedOpcode } from "../../jobs/completed-opcode.js";
import { printing, type Reporter } from "../../jobs/feedback.js";
import { awaitJobs } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation;
  await testSubmission(invocation);
  await testDependencies(invocation);
  for (const { title, fails } of modes) {
    out.line(title);
    await testMessages(invocation, fails);
  }
  out.line("Job queue test successful");
  return 0;
}

const delay = (more: Readonly<Record<string, Json>> = {}): OpcodeJson => ({
  OP_ID: "OP_TEST_DELAY",
  duration: 0,
  ...more,
});

/** Priorities accepted at submission, and the bounds of those that jobs can have. */
const priorities = [-20, -10, 0, 10, 19];

/** Jobs with an invalid priority are refused, whichever opcode has it. */
async function testSubmission({ cluster, options, out }: Invocation): Promise<void> {
  out.line("Testing job submission");
  const tries = priorities.flatMap((priority) =>
    [priority - 1, priority + 1].flatMap((wrong) =>
      [[0, 0] as const, [3, 0] as const, [0, 3] as const, [4, 2] as const].map(
        ([before, after]) => ({ before, after, wrong }),
      ),
    ),
  );
  const bounds = [19, -20].map((wrong) => ({ before: 0, after: 0, wrong }));
  for (const { before, after, wrong } of [...bounds, ...tries]) {
    const some = (count: number) => Array.from({ length: count }, () => delay());
    const job = [...some(before), delay({ priority: wrong }), ...some(after)];
    const [answer] = await cluster.submit([job]);
    if (answer !== undefined && "id" in answer) {
      throw execError(
        `Submitting opcode with priority ${wrong} did not fail when it should (allowed are -10, 0, 10)`,
      );
    }
    if (options.count("debug") > 0) {
      out.line(`Ignoring error for 'wrong priority' test: ${answer?.refused}`);
    }
  }
  out.line("Job submission tests were successful");
}

/** Jobs wait for dependencies given relative to their own position in a submission. */
async function testDependencies(invocation: Invocation): Promise<void> {
  const { cluster, out, options } = invocation;
  out.line("Testing job dependencies");
  const [alone] = await cluster.submit([[delay({ depends: [[-1, []]] })]]);
  if (alone !== undefined && "id" in alone) {
    throw execError("Submitting plain opcode with relative job ID did not fail as expected");
  }
  if (options.count("debug") > 0) {
    out.line(`Ignoring error for 'wrong dependencies' test: ${alone?.refused}`);
  }
  const second = (depends?: Json) =>
    completedOpcode(
      invocation,
      delay({ duration: 1, ...(depends === undefined ? {} : { depends }) }),
    );
  const answers = await cluster.submit([
    [second()],
    [second([[-1, []]])],
    [second([[-2, ["success"]]])],
    [second([])],
    [second([[-2, ["success"]]])],
  ]);
  const ends = await awaitJobs(
    invocation,
    answers.map((answer) => ({ name: "", answer })),
  );
  if (!ends.every(({ ok }) => ok)) throw execError("At least one of the submitted jobs failed");
  const ids = answers.flatMap((answer) => ("id" in answer ? [answer.id] : []));
  const { data } = await cluster.query(
    "job",
    ["id", "opexec", "ops"],
    ["|", ...ids.map((id) => ["==", "id", id] as const)],
  );
  const jobs = data.map((row) => {
    const [id, executed, ops] = row.map(([, value]) => value);
    return {
      id: id as number,
      executed: (executed as readonly (readonly [number, number])[])[0],
      depends: (ops as readonly { readonly depends: readonly (readonly [number])[] }[])[0]?.depends,
    };
  });
  for (const [later, earlier] of [
    [1, 0],
    [2, 0],
    [4, 2],
  ] as const) {
    const [job, before] = [jobs[later], jobs[earlier]];
    if (job?.depends?.[0]?.[0] !== before?.id) {
      throw execError(`Job ${later}'s opcode doesn't depend on correct job ID (${before?.id})`);
    }
    if (microsOf(before?.executed) > microsOf(job?.executed)) {
      throw execError("Jobs did not run in correct order");
    }
  }
  out.line("Job dependency tests were successful");
}

const microsOf = (time: readonly [number, number] | undefined): number =>
  time === undefined ? 0 : time[0] * 1e6 + time[1];

/** Which opcodes of a job fail. */
const modes: readonly { readonly title: string; readonly fails: readonly boolean[] }[] = [
  { title: "Testing job success", fails: [false] },
  { title: "Testing multiple successful opcodes", fails: [false, false] },
  { title: "Testing job failure", fails: [true] },
  { title: "Testing partial job failure", fails: [false, false, true, false] },
];

const texts = ["Hello World", "A", "", "B", "Foo|bar|baz"];
const mark = "TESTMSG:";

/**
 * Messages arrive in order, succeeding opcodes have results, and opcodes after a failure do not
 * run.
 */
async function testMessages(invocation: Invocation, fails: readonly boolean[]): Promise<void> {
  const { cluster, out } = invocation;
  const opcodes = fails.map((fail) =>
    completedOpcode(invocation, { OP_ID: "OP_TEST_JQUEUE", log_messages: texts, fail }),
  );
  const [answer] = await cluster.submit([opcodes]);
  if (answer === undefined || !("id" in answer)) throw execError(answer?.refused ?? "no job");
  const { id } = answer;
  const received: string[] = [];
  const reporter = catching(printing(invocation, id), received);
  const failing = fails.includes(true);
  try {
    const results = await awaitJob(cluster, id, reporter);
    if (failing) throw execError("Job didn't fail when it should");
    if (results.length !== fails.length) {
      throw execError(`Received ${results.length} results, expected ${fails.length}`);
    }
  } catch (error) {
    if (!failing || !(error instanceof GanetiError)) throw error;
    out.line(`Ignoring error for 'job fail' test: ${error.message}`);
  }
  const runCount = failing ? fails.indexOf(true) + 1 : fails.length;
  const expected = Array.from({ length: runCount }).flatMap(() => texts);
  if (JSON.stringify(received) !== JSON.stringify(expected)) {
    throw execError(`Received test messages don't match input (${JSON.stringify(received)})`);
  }
  const job = await cluster.job(id);
  const status = fails.map((_, at) => (at < runCount && !fails[at] ? "success" : "error"));
  if (JSON.stringify(job?.opstatus) !== JSON.stringify(status)) {
    throw execError(
      `Opcode status is ${JSON.stringify(job?.opstatus)}, expected ${status.join(", ")}`,
    );
  }
}

/** Collects the messages of the test, and prints the others. */
const catching = (printed: Reporter, received: string[]): Reporter => ({
  ...printed,
  log(entry) {
    const text = String(entry.message);
    if (text.startsWith(mark)) received.push(text.slice(mark.length));
    else printed.log(entry);
  },
});
