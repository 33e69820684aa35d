/** One job: opcodes, log, what keeps it from running, and its cancellation. */
import { useState } from "preact/hooks";
import { useLive } from "../api/live.js";
import { ask } from "../api/server.js";
import { type Cause, hasEnded, type Job, type Me } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";
import { Status } from "../parts/status.js";
import { opcodeText, timeText } from "../words.js";

const isWaiting = (status: string) => status === "queued" || status === "waiting";

async function jobWithCauses(id: string): Promise<{ job: Job; causes: readonly Cause[] }> {
  const job = await ask<Job>("GET", `/2/jobs/${encodeURIComponent(id)}`);
  const causes = isWaiting(job.status ?? "")
    ? await ask<Cause[]>("GET", `/ganeti-ts/1/jobs/${id}/why`)
    : [];
  return { job, causes };
}

export function JobPage({ id, me }: { readonly id: string; readonly me: Me }) {
  const { value, problem } = useLive(`job ${id}`, ["job"], () => jobWithCauses(id));
  if (value === undefined)
    return problem ? <Notice kind="error">{problem}</Notice> : <p>Loading …</p>;
  const { job, causes } = value;
  if (job.status === null) {
    return <Notice kind="error">There is no job {id}: it may have been archived.</Notice>;
  }
  return (
    <>
      <div class="heading">
        <h1>Job {job.id}</h1>
        <Status of={job.status} isJob />
      </div>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <p class="small">
        Submitted {timeText(job.received_ts)} · started {timeText(job.start_ts)} · ended{" "}
        {timeText(job.end_ts)}
      </p>
      {causes.length > 0 && (
        <section aria-label="Why it is not running" class="card">
          <h2>Why it is not running</h2>
          <ul>
            {causes.map(({ text }) => (
              <li>{text}</li>
            ))}
          </ul>
        </section>
      )}
      <Cancel job={job} me={me} />
      {job.ops.map((_, at) => (
        <Operation job={job} at={at} />
      ))}
    </>
  );
}

function Cancel({ job, me }: { readonly job: Job; readonly me: Me }) {
  const [said, setSaid] = useState<{ done: boolean; text: string }>();
  const cancel = async () => {
    try {
      const [done, text] = await ask<[boolean, string]>("DELETE", `/2/jobs/${job.id}`);
      setSaid({ done, text });
    } catch (error) {
      setSaid({ done: false, text: (error as Error).message });
    }
  };
  const isOver = hasEnded(job.status ?? "");
  return (
    <>
      {!isOver && (
        <button
          type="button"
          onClick={cancel}
          disabled={!me.rights.write}
          title={me.rights.write ? "" : needsWrite}
        >
          Cancel the job
        </button>
      )}
      {said && <Notice kind={said.done ? "done" : "error"}>{said.text}</Notice>}
    </>
  );
}

const needsWrite = "Your user may only read: changes need the option write in the users file";

function Operation({ job, at }: { readonly job: Job; readonly at: number }) {
  const { OP_ID, ...parameters } = job.ops[at] ?? {};
  const log = job.oplog[at] ?? [];
  const result = job.opresult[at];
  return (
    <section class="card" aria-label={`Operation ${at + 1}`}>
      <div class="heading">
        <h2>{opcodeText(String(OP_ID))}</h2>
        <Status of={job.opstatus[at] ?? null} isJob />
      </div>
      {log.length > 0 && (
        <ol class="log" aria-label="Log" aria-live="polite">
          {log.map(([serial, time, , text]) => (
            <li key={serial}>
              <time>{timeText(time)}</time> {typeof text === "string" ? text : JSON.stringify(text)}
            </li>
          ))}
        </ol>
      )}
      {job.opstatus[at] === "error" && <Notice kind="error">{failureText(result)}</Notice>}
      <details>
        <summary>Parameters</summary>
        <pre>{JSON.stringify(parameters, null, 2)}</pre>
      </details>
      {job.opstatus[at] === "success" && result !== null && (
        <details>
          <summary>Result</summary>
          <pre>{JSON.stringify(result, null, 2)}</pre>
        </details>
      )}
    </section>
  );
}

/** An error of a job is a class and its arguments, of which the first is the text. */
function failureText(result: unknown): string {
  const [, args] = Array.isArray(result) ? result : [];
  const [text] = Array.isArray(args) ? args : [];
  return typeof text === "string" ? text : JSON.stringify(result);
}
