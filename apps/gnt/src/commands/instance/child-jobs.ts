/** Jobs that a job has submitted: they are followed as well. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { awaitJobs } from "../../jobs/follow.js";

/** `{"jobs": [[ok, id or refusal]…]}` is how such jobs end; `texts` say how all of it did. */
export async function endOfChildren(
  invocation: Invocation,
  result: Json,
  texts: { readonly done: string; readonly failed: (count: number) => string },
): Promise<ExitCode> {
  const jobs = isJsonObject(result) && Array.isArray(result.jobs) ? result.jobs : [];
  const ends = await awaitJobs(
    invocation,
    (jobs as readonly (readonly [boolean, Json])[]).map(([ok, told]) => ({
      name: "",
      answer: ok ? { id: Number(told) } : { refused: String(told) },
    })),
  );
  const failed = ends.filter(({ ok }) => !ok).length;
  invocation.out.line(failed === 0 ? texts.done : texts.failed(failed));
  return failed === 0 ? 0 : 1;
}
