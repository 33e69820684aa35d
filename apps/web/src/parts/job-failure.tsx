/** Notice of a failed job, with the error of the failed opcode. */
import { linkTo } from "../address.js";
import { lists, ofType } from "../api/fields.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import type { JobRow } from "../api/shapes.js";
import { failureText } from "../words.js";
import { Notice } from "./notice.js";

const results = { ...lists("opstatus"), ...ofType<readonly unknown[]>()("opresult") };

export function JobFailure({ job }: { readonly job: JobRow }) {
  const { id, status, summary } = job;
  const { value, problem } = useLive(`failure of ${id} ${status}`, [], async () => {
    const [row] = await query("job", results, ["==", "id", id]);
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
