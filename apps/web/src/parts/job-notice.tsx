/** Notice of a job that the page has submitted: its current state, and a link when it has ended. */
import { linkTo } from "../address.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import { hasEnded, jobFields } from "../api/shapes.js";
import { JobFailure } from "./job-failure.js";
import { Notice } from "./notice.js";
import { Status } from "./status.js";

export function JobNotice({ id, done }: { readonly id: number; readonly done: readonly string[] }) {
  const { value } = useLive(`job row ${id}`, [`job ${id}`], async () => {
    const [row] = await query("job", jobFields, ["==", "id", id]);
    return row;
  });
  const status = value?.status ?? "queued";
  if (value && (status === "error" || status === "canceled")) return <JobFailure job={value} />;
  return (
    <Notice kind={status === "success" ? "done" : "busy"}>
      <a href={linkTo(["jobs", String(id)])}>Job {id}</a> <Status of={status} isJob />{" "}
      {status === "success" && (
        <a href={linkTo(done)}>
          Go to <strong>{done.at(-1)}</strong>
        </a>
      )}
      {!hasEnded(status) && "…"}
    </Notice>
  );
}
