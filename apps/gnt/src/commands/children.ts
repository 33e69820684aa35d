/** Jobs submitted by a job, which are followed as well. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";
import type { Submitted } from "../cluster.js";
import type { ExitCode } from "../command.js";
import type { Invocation } from "../invocation.js";
import { awaitJobs, type JobEnd } from "../jobs/follow.js";

/** The jobs of a result `{"jobs": [[ok, id or refusal]…]}`; undefined for other results. */
function childrenOf(result: Json): readonly Submitted[] | undefined {
  if (!isJsonObject(result) || !Array.isArray(result.jobs)) return undefined;
  return (result.jobs as [boolean, Json][]).map(([ok, value]) =>
    ok ? { id: Number(value) } : { refused: String(value) },
  );
}

/** Their ends, in their order. */
export const childResults = (invocation: Invocation, result: Json): Promise<readonly JobEnd[]> =>
  awaitJobs(
    invocation,
    (childrenOf(result) ?? []).map((answer) => ({ name: "", answer })),
  );

/** Exit code of an opcode that may have submitted jobs: 1 if one of them failed. */
export async function endOfChildren(invocation: Invocation, result: Json): Promise<ExitCode> {
  if (childrenOf(result) === undefined) return 0;
  const bad = (await childResults(invocation, result)).filter(({ ok }) => !ok);
  for (const one of bad) {
    if (!one.ok) invocation.out.line(`Job failed, result is '${one.problem}'.`);
  }
  if (bad.length > 0) invocation.out.line(`${bad.length} job(s) failed.`);
  return bad.length > 0 ? 1 : 0;
}

export interface EvacuationTexts {
  readonly done: string;
  readonly failed: (count: number) => string;
}

/** Exit code of an opcode that moves instances by jobs. */
export async function endOfEvacuation(
  invocation: Invocation,
  result: Json,
  texts: EvacuationTexts,
): Promise<ExitCode> {
  const bad = (await childResults(invocation, result)).filter(({ ok }) => !ok).length;
  invocation.out.line(bad === 0 ? texts.done : texts.failed(bad));
  return bad === 0 ? 0 : 1;
}
