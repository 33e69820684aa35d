/** Preview of the jobs that match a rule, updated as the form changes. */
import { linkTo } from "../../address.js";
import { ask } from "../../api/server.js";
import { Notice } from "../../parts/notice.js";
import { Status } from "../../parts/status.js";
import { Table } from "../../parts/table.js";
import { type Answering, useQuestion } from "../../parts/use-question.js";
import { timeText } from "../../words.js";
import type { Action, CaughtJob, Preview } from "./rule.js";

/** The answer to `question`, requested again when `epoch` changes; undefined sends no request. */
export const usePreview = (question: object | undefined, epoch: number) =>
  useQuestion<Previewed>(question && JSON.stringify(question), epoch, async (signal, tell) =>
    tell({ preview: await ask<Preview>("POST", "/ganeti-ts/1/filters/preview", question, signal) }),
  );

interface Previewed {
  readonly preview: Preview;
}

export function PreviewCard(props: {
  readonly live: Answering<Previewed>;
  readonly action: Action;
  /** Reason why there is no preview. */
  readonly fault: string | undefined;
}) {
  const { live, action, fault } = props;
  const { preview, problem, isPending } = live;
  return (
    <section class="card answer" aria-label="Preview" aria-live="polite" aria-busy={isPending}>
      <h2>Jobs that it catches</h2>
      {fault !== undefined ? (
        <p>The preview waits until the rule can be read: {fault}</p>
      ) : problem ? (
        <Notice kind="error">{problem}</Notice>
      ) : preview === undefined ? (
        <p>Loading …</p>
      ) : (
        <Caught preview={preview} action={action} />
      )}
    </section>
  );
}

const count = (jobs: number, word: string) => `${jobs} ${word}${jobs === 1 ? " job" : " jobs"}`;

function effectText(action: Action, jobs: number): string {
  if (jobs === 0) return "No unfinished job is caught now.";
  const what = count(jobs, "unfinished");
  if (typeof action !== "string") {
    return `${what} caught: at most ${action[1]} of such jobs would be under way at a time.`;
  }
  return `${what} caught: ${
    {
      ACCEPT: "they would start, whatever later rules say.",
      PAUSE:
        "queued ones would stay there, those under way would stop before their next operation.",
      REJECT: "queued ones would be cancelled, those under way go on.",
      CONTINUE: "the rules that follow decide about them.",
    }[action]
  }`;
}

function Caught({ preview, action }: { readonly preview: Preview; readonly action: Action }) {
  const { open_count, ended_count, ended_looked, watermark, caught } = preview;
  const earlier = caught.filter((job) => job.open && job.earlier !== null).length;
  return (
    <>
      <p>
        <strong>{effectText(action, open_count)}</strong>
      </p>
      {earlier > 0 && (
        <p>An earlier rule decides about {count(earlier, "listed")}: this one comes too late.</p>
      )}
      <p class="small">
        Of the latest {count(ended_looked, "ended")} it would have caught {ended_count}. Watermark:{" "}
        {watermark}.
      </p>
      {caught.length > 0 && (
        <Table
          title="Caught"
          heads={["Job", "Status", "Operations", "Submitted"]}
          rows={caught.map((job) => [
            <a href={linkTo(["jobs", String(job.id)])}>{job.id}</a>,
            <Status of={job.status} isJob />,
            <Operations job={job} />,
            timeText(job.received_ts),
          ])}
        />
      )}
    </>
  );
}

const Operations = ({ job }: { readonly job: CaughtJob }) => (
  <>
    {job.summary.join(", ")}
    {job.earlier && (
      <>
        {" "}
        <small>
          decided by <a href={linkTo(["rules", job.earlier])}>an earlier rule</a>
        </small>
      </>
    )}
  </>
);
