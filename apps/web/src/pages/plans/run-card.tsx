/** Submitted jobs of a plan: progress, the state of each, and a button that cancels those that have not started. */
import { useMemo, useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { useCollection } from "../../api/collection.js";
import { ask } from "../../api/server.js";
import { hasEnded, type JobRow, type Me } from "../../api/shapes.js";
import { sourceOfJobs } from "../../api/sources.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Notice } from "../../parts/notice.js";
import { Status } from "../../parts/status.js";
import { Track } from "../../parts/track.js";

export function RunCard(props: {
  readonly ids: readonly number[];
  readonly me: Me;
  /** Text shown when all jobs have succeeded. */
  readonly done: string;
  /** Closes the card, so that another plan can be made. */
  readonly onClose: () => void;
}) {
  const { ids, me } = props;
  const key = ids.join();
  const source = useMemo(() => sourceOfJobs(ids), [key]);
  const { rows, problem } = useCollection(`run ${key}`, source);
  const jobs = [...(rows?.values() ?? [])].sort((a, b) => a.id - b.id);
  const ended = jobs.filter(({ status }) => hasEnded(status));
  const isOver = rows !== undefined && ended.length === jobs.length;
  const missing = rows === undefined ? 0 : ids.length - jobs.length;
  return (
    <section class="card" aria-label="Jobs of the plan">
      <div class="heading">
        <h2>Jobs of the plan</h2>
        <p role="status">
          {ended.length} of {jobs.length} have ended
        </p>
        <span class="grow" />
        {isOver ? (
          <button type="button" onClick={props.onClose}>
            Plan again
          </button>
        ) : (
          <Stop jobs={jobs} me={me} />
        )}
      </div>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <Track title="Jobs that have ended" done={ended.length} all={Math.max(1, jobs.length)} />
      {isOver && <Outcome jobs={jobs} done={props.done} />}
      {missing > 0 && <p class="small">{missing} of the jobs have been archived.</p>}
      <ol class="lines jobs-of-plan">
        {jobs.map((job) => (
          <li key={job.id}>
            <a href={linkTo(["jobs", String(job.id)])}>{job.id}</a>
            <span class="grow">{job.summary.join(", ")}</span>
            <Status of={job.status} isJob />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Outcome({ jobs, done }: { readonly jobs: readonly JobRow[]; readonly done: string }) {
  const failed = jobs.filter(({ status }) => status === "error").length;
  const canceled = jobs.filter(({ status }) => status === "canceled").length;
  if (failed + canceled === 0) return <Notice kind="done">{done}</Notice>;
  return (
    <Notice kind={failed > 0 ? "error" : "warning"}>
      {failed > 0 && `${failed} failed: open them for the reason. `}
      {canceled > 0 && `${canceled} were cancelled. `}
      Plan again for what is left.
    </Notice>
  );
}

/** Cancels jobs that have not started, last first, so that none starts in place of a cancelled one. */
function Stop({ jobs, me }: { readonly jobs: readonly JobRow[]; readonly me: Me }) {
  const [said, setSaid] = useState<string>();
  const stop = async () => {
    setSaid("Cancelling …");
    let canceled = 0;
    const open = jobs.filter(({ status }) => !hasEnded(status)).toReversed();
    try {
      for (const { id } of open) {
        const [isDone] = await ask<[boolean, string]>("DELETE", `/2/jobs/${id}`);
        canceled += Number(isDone);
      }
      const left = open.length - canceled;
      setSaid(
        left === 0
          ? `${canceled} cancelled.`
          : `${canceled} cancelled; ${left} had begun and will end first.`,
      );
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  return (
    <>
      {said && <small role="status">{said}</small>}
      <Action kind="danger" off={withoutRight(me)} onClick={() => void stop()}>
        Stop
      </Action>
    </>
  );
}
