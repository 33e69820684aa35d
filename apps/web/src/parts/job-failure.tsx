/** Notice of a failed job, with the error of the failed opcode. */
import { linkTo } from "../address.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import type { Job, JobRow } from "../api/shapes.js";
import { failureText } from "../words.js";
import { Notice } from "./notice.js";

type Results = Pick<Job, "opstatus" | "opresult">;

export function JobFailure({ job }: { readonly job: JobRow }) {
  const { id, status, summary } = job;
  const { value, problem } = useLive(`failure of ${id} ${status}`, [], async () => {
    const [row] = await query<Results>("job", ["opstatus", "opresult"], ["==", "id", id]);
    return row;
  });
  const at = value?.opstatus.indexOf("error") ?? -1;
  const reason = at < 0 ? problem : failureText(value?.opresult[at]);
  return (
    <Notice kind="error">
      <a href={linkTo(["jobs", String(id)])}>Job {id}</a> {summary.join(", ")}{" "}
      {status === "canceled" ? "was cancelled" : "failed"}
      {reason !== undefined && `: ${reason}`}
    </Notice>
  );
}
