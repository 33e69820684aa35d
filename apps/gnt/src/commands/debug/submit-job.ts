/** `gnt-debug submit-job`. */
import { readFileSync } from "node:fs";
import { isJsonObject, type Json, JsonError, parseJson } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { completedOpcode } from "../../jobs/completed-opcode.js";
import { awaitJobs, type NamedJob, type SubmittedJob } from "../../jobs/follow.js";

/** 0 whether the jobs succeed or not, as in Ganeti: the command tests the queue. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const timed = options.flag("timing-stats");
  if (timed) out.line("Loading...");
  const lists = args.map((file) => ({ file, opcodes: opcodesIn(file) }));
  const repeats = Array.from({ length: options.integer("job-repeat") ?? 1 }, (_, at) => at);
  const jobs = repeats.flatMap((at) =>
    lists.map(({ file, opcodes }): NamedJob => {
      const times = Array.from({ length: options.integer("op-repeat") ?? 1 });
      return { name: `file ${file}/${at}`, opcodes: times.flatMap(() => opcodes) };
    }),
  );
  const started = performance.now();
  if (timed) out.line("Submitting...");
  const submitted = await submit(invocation, jobs);
  const waiting = performance.now();
  if (timed) out.line("Executing...");
  await awaitJobs(invocation, submitted, { quiet: !options.flag("verbose") });
  if (timed) {
    const ended = performance.now();
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(4);
    const opcodeCount = jobs.reduce((sum, { opcodes }) => sum + opcodes.length, 0);
    out.line(`C:op     ${String(opcodeCount).padStart(4)}`);
    out.line(`C:job    ${String(jobs.length).padStart(4)}`);
    out.line(`T:submit ${seconds(started, waiting)}`);
    out.line(`T:exec   ${seconds(waiting, ended)}`);
    out.line(`T:total  ${seconds(started, ended)}`);
  }
  return 0;
}

async function submit(
  invocation: Invocation,
  jobs: readonly NamedJob[],
): Promise<readonly SubmittedJob[]> {
  const { cluster, options } = invocation;
  const completed = jobs.map(({ opcodes }) =>
    opcodes.map((opcode) => completedOpcode(invocation, opcode)),
  );
  const answers = options.flag("each")
    ? await oneByOne(completed, async (job) => (await cluster.submit([job]))[0])
    : await cluster.submit(completed);
  return jobs.map(({ name }, at) => ({
    name,
    answer: answers[at] ?? { refused: "the server gave no answer" },
  }));
}

async function oneByOne<From, To>(
  items: readonly From[],
  act: (item: From) => Promise<To>,
): Promise<To[]> {
  const done: To[] = [];
  for (const item of items) done.push(await act(item));
  return done;
}

/** @throws Ending */
function opcodesIn(file: string): readonly OpcodeJson[] {
  let content: Json;
  try {
    content = parseJson(readFileSync(file, "utf8"));
  } catch (error) {
    const what = error instanceof JsonError ? "is no JSON" : "cannot be read";
    throw new Ending(`${file} ${what}: ${(error as Error).message}`);
  }
  const isOpcode = (one: Json) => isJsonObject(one) && typeof one.OP_ID === "string";
  if (Array.isArray(content) && content.every(isOpcode)) return content as readonly OpcodeJson[];
  throw new Ending(`${file} contains no list of opcodes`);
}
