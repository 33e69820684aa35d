/** Page of one job: opcodes, log, locks, why it does not run, priority, cancellation. */
import type { Hindrance } from "@ganeti-ts/rapi-client";
import { useState } from "preact/hooks";
import { listsOrNull, numbersOrNull, ofType, texts, textsOrNull } from "../api/fields.js";
import { type LiveEvent, useLive } from "../api/live.js";
import { ask, query } from "../api/server.js";
import { hasEnded, type Job, type Me } from "../api/shapes.js";
import { Action, withoutRight } from "../parts/action.js";
import { Notice, PageHeading, Unread } from "../parts/notice.js";
import { Status } from "../parts/status.js";
import { Table } from "../parts/table.js";
import { failureText, opcodeText, timeText } from "../words.js";

const isWaiting = (status: string) => status === "queued" || status === "waiting";

const lockFields = {
  ...texts("name"),
  ...textsOrNull("mode"),
  ...listsOrNull("owner"),
  ...ofType<readonly (readonly [mode: string, owners: readonly string[]])[] | null>()("pending"),
};
type LockRow = Readonly<typeof lockFields>;

interface Shown {
  readonly job: Job;
  readonly causes: readonly Hindrance[];
  readonly priority: number | null;
  readonly locks: readonly LockRow[];
}

/** Whether a lock's owners include the job; owners are written as `job/17` or `instance_startup/17`. */
const isOf = (id: number, owners: readonly string[]): boolean =>
  owners.some((owner) => new RegExp(`(?:^|/|\\D)${id}$`).test(owner));

async function jobAndMore(id: string): Promise<Shown> {
  const job = await ask<Job>("GET", `/2/jobs/${encodeURIComponent(id)}`);
  if (job.status === null || hasEnded(job.status)) {
    return { job, causes: [], priority: null, locks: [] };
  }
  const [causes, [row], locks] = await Promise.all([
    isWaiting(job.status) ? ask<Hindrance[]>("GET", `/ganeti-ts/1/jobs/${id}/why`) : [],
    query("job", numbersOrNull("priority"), ["==", "id", job.id]),
    query("lock", lockFields),
  ]);
  const own = locks.filter(
    ({ owner, pending }) =>
      isOf(job.id, owner ?? []) || pending?.some(([, owners]) => isOf(job.id, owners)),
  );
  return { job, causes, priority: row?.priority ?? null, locks: own };
}

export function JobPage({ id, me }: { readonly id: string; readonly me: Me }) {
  const { value, problem } = useLive(`job ${id}`, jobTopics(id), () => jobAndMore(id));
  if (value === undefined) return <Unread problem={problem} />;
  const { job, causes, priority, locks } = value;
  if (job.status === null) {
    return <Notice kind="error">There is no job {id}: it may have been archived.</Notice>;
  }
  return (
    <>
      <PageHeading title={`Job ${job.id}`} problem={problem}>
        <Status of={job.status} isJob />
      </PageHeading>
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
      {!hasEnded(job.status) && (
        <div class="actions">
          <Cancel job={job} me={me} />
          {priority !== null && <Priority job={job} now={priority} me={me} />}
        </div>
      )}
      {locks.length > 0 && <Locks id={job.id} locks={locks} />}
      {job.ops.map((_, at) => (
        <Operation job={job} at={at} />
      ))}
    </>
  );
}

/** Events that change the page: those of the job, and while it waits those of other jobs, which may be the reason. */
const jobTopics = (id: string) => (event: LiveEvent, shown: Shown | undefined) =>
  event.topic === "job" &&
  (String(event.id) === id || (isWaiting(shown?.job.status ?? "") && hasEnded(event.status)));

function useAnswer() {
  const [said, setSaid] = useState<{ done: boolean; text: string }>();
  const send = (request: Promise<[boolean, string]>) =>
    request.then(
      ([done, text]) => setSaid({ done, text }),
      (error: Error) => setSaid({ done: false, text: error.message }),
    );
  return { said, send };
}

function Cancel({ job, me }: { readonly job: Job; readonly me: Me }) {
  const { said, send } = useAnswer();
  return (
    <>
      <Action
        off={withoutRight(me)}
        kind="danger"
        onClick={() => void send(ask("DELETE", `/2/jobs/${job.id}`))}
      >
        Cancel the job
      </Action>
      {said && <Notice kind={said.done ? "done" : "error"}>{said.text}</Notice>}
    </>
  );
}

/** Ganeti's names of priorities; the lower the number, the earlier. */
const priorities = [
  [-10, "high"],
  [0, "normal"],
  [10, "low"],
] as const;

function Priority({ job, now, me }: { job: Job; now: number; me: Me }) {
  const { said, send } = useAnswer();
  const off = withoutRight(me, "full");
  const change = (event: Event) => {
    const priority = Number((event.currentTarget as HTMLSelectElement).value);
    void send(ask("PUT", `/ganeti-ts/1/jobs/${job.id}/priority`, { priority }));
  };
  const isUsual = priorities.some(([number]) => number === now);
  return (
    <>
      <label class="inline" title={off}>
        Priority{" "}
        <select value={String(now)} onChange={change} disabled={off !== undefined}>
          {!isUsual && <option value={String(now)}>{now}</option>}
          {priorities.map(([number, text]) => (
            <option value={String(number)} key={number}>
              {text} ({number})
            </option>
          ))}
        </select>
      </label>
      {off && <small>{off}</small>}
      {said && <Notice kind={said.done ? "done" : "error"}>{said.text}</Notice>}
    </>
  );
}

const Locks = ({ id, locks }: { readonly id: number; readonly locks: readonly LockRow[] }) => (
  <Table
    title="Locks"
    heads={["Lock", "This job", "Held by"]}
    rows={locks.map(({ name, mode, owner, pending }) => [
      <code>{name}</code>,
      isOf(id, owner ?? [])
        ? `holds it (${mode ?? "?"})`
        : `waits (${pending?.find(([, owners]) => isOf(id, owners))?.[0] ?? "?"})`,
      owner?.join(", ") || "nobody",
    ])}
  />
);

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
