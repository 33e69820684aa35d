/** Notice of submitted jobs with their current states, and of refused requests. */
import { useEffect, useMemo } from "preact/hooks";
import { linkTo } from "../address.js";
import { useCollection } from "../api/collection.js";
import { hasEnded, type JobRow } from "../api/shapes.js";
import { sourceOfJobs } from "../api/sources.js";
import { JobFailure } from "./job-failure.js";
import { Notice } from "./notice.js";
import type { Outcome } from "./submitted.js";

/** Maximum number of jobs and failures shown one by one; further ones are counted. */
const shownMax = 5;

export function Submitted(props: {
  readonly outcome: Outcome;
  /** Called when all jobs have succeeded, and no request was refused. */
  readonly onSuccess?: () => void;
}) {
  const { jobs, failures } = props.outcome;
  const onSuccess = failures.length === 0 ? props.onSuccess : undefined;
  return (
    <>
      {jobs.length > 0 && <Jobs ids={jobs} onSuccess={onSuccess} />}
      {failures.slice(0, shownMax).map((text) => (
        <Notice kind="error">{text}</Notice>
      ))}
      {failures.length > shownMax && (
        <Notice kind="error">{failures.length - shownMax} more were refused.</Notice>
      )}
    </>
  );
}

function Jobs({
  ids,
  onSuccess,
}: {
  readonly ids: readonly number[];
  readonly onSuccess: (() => void) | undefined;
}) {
  const key = ids.join();
  const source = useMemo(() => sourceOfJobs(ids), [key]);
  const { rows } = useCollection(`submitted ${key}`, source);
  const jobs = [...(rows?.values() ?? [])];
  const isOver = rows !== undefined && jobs.every(({ status }) => hasEnded(status));
  const failed = jobs.filter(({ status }) => status === "error" || status === "canceled");
  const isGood = isOver && failed.length === 0;
  useEffect(() => {
    if (isGood) onSuccess?.();
  }, [isGood]);
  return (
    <>
      <Notice kind={failed.length > 0 ? "error" : isOver ? "done" : "busy"}>
        {ids.length} {ids.length === 1 ? "job" : "jobs"} submitted:{" "}
        {ids.slice(0, shownMax).map((id) => (
          <>
            <a href={linkTo(["jobs", String(id)])}>{id}</a>{" "}
          </>
        ))}
        {ids.length > shownMax && <a href={linkTo(["jobs"])}>and others</a>}{" "}
        {rows !== undefined && `· ${progressText(jobs, failed)}`}
      </Notice>
      {failed.slice(0, shownMax).map((job) => (
        <JobFailure key={job.id} job={job} />
      ))}
      {failed.length > shownMax && (
        <Notice kind="error">{failed.length - shownMax} more have failed.</Notice>
      )}
    </>
  );
}

function progressText(jobs: readonly JobRow[], failed: readonly JobRow[]): string {
  const open = jobs.filter(({ status }) => !hasEnded(status)).length;
  const parts = [
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(open > 0 ? [`${open} not ended yet`] : []),
  ];
  return parts.join(", ") || "succeeded";
}
