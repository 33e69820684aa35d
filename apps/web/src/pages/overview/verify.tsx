/** Findings of the last verification of the cluster. */
import { useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import { useLive } from "../../api/live.js";
import { ask } from "../../api/server.js";
import { hasEnded, type Job, type JobRow, type Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Notice } from "../../parts/notice.js";
import { timeText } from "../../words.js";

const isVerification = ({ summary }: JobRow): boolean =>
  summary.some((text) => /^CLUSTER_VERIFY_(?:CONFIG|GROUP)/.test(text));

/** The newest verification job of the configuration, and of each group. */
function newest(jobs: readonly JobRow[]): readonly JobRow[] {
  const byPart = new Map<string, JobRow>();
  for (const job of jobs.filter(isVerification).toSorted((a, b) => a.id - b.id)) {
    byPart.set(job.summary.join(), job);
  }
  return [...byPart.values()];
}

interface Findings {
  readonly isClean: boolean;
  readonly texts: readonly string[];
}

/** Maximum number of problem lines shown. */
const textsMax = 8;

async function findingsOf(ids: readonly number[]): Promise<Findings> {
  const jobs = await Promise.all(ids.map((id) => ask<Job>("GET", `/2/jobs/${id}`)));
  const texts = jobs.flatMap(({ oplog }) =>
    oplog.flat().map(([, , , text]) => (typeof text === "string" ? text : JSON.stringify(text))),
  );
  const isClean = jobs.every(({ opresult }) => opresult.every((result) => result === true));
  return { isClean, texts: texts.filter((text) => /error/i.test(text)) };
}

export function VerifyCard({ jobs, me }: { readonly jobs: readonly JobRow[]; readonly me: Me }) {
  const [problem, setProblem] = useState<string>();
  const parts = newest(jobs);
  const ended = parts.filter(({ status }) => hasEnded(status)).map(({ id }) => id);
  const { value } = useLive(`verification ${ended}`, [], () => findingsOf(ended));
  const isRunning = ended.length < parts.length;
  const at = parts.flatMap(({ end_ts }) => (end_ts ? [end_ts] : [])).at(-1);
  const verify = () =>
    ask<({ refused?: string } | { id: number })[]>("POST", "/ganeti-ts/1/jobs", {
      jobs: [[{ OP_ID: "OP_CLUSTER_VERIFY" }]],
    }).then(
      ([answer]) => setProblem(answer && "refused" in answer ? answer.refused : undefined),
      (error: Error) => setProblem(error.message),
    );
  return (
    <section class="card" aria-label="Verification">
      <div class="heading">
        <h2>Verification</h2>
        <span class="grow" />
        <Action off={withoutRight(me, "full")} onClick={() => void verify()}>
          Verify now
        </Action>
      </div>
      {problem && <Notice kind="error">{problem}</Notice>}
      {parts.length === 0 ? (
        <p class="small">The cluster has not been verified lately.</p>
      ) : isRunning ? (
        <p>
          <span class="status busy">running</span>
        </p>
      ) : (
        value && (
          <p>
            <span class={value.isClean ? "status good" : "status bad"}>
              {value.isClean ? "nothing is wrong" : "problems were found"}
            </span>{" "}
            <small>
              {at && timeText(at)} ·{" "}
              {ended.map((id) => (
                <a key={id} href={linkTo(["jobs", String(id)])}>
                  {id}{" "}
                </a>
              ))}
            </small>
          </p>
        )
      )}
      {value && value.texts.length > 0 && (
        <ul class="small">
          {value.texts.slice(0, textsMax).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
