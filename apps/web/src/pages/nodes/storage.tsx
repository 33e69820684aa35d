/** Storage units of a node, queried by a job. */
import { useLive } from "../../api/live.js";
import { ask } from "../../api/server.js";
import { hasEnded, type Job, type Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { JobNotice } from "../../parts/job-notice.js";
import { Notice } from "../../parts/notice.js";
import { Table } from "../../parts/table.js";
import { useJob } from "../../parts/use-job.js";
import { sizeText } from "../../words.js";

const kinds = [
  ["lvm-vg", "Volume groups"],
  ["lvm-pv", "Physical volumes"],
  ["file", "File storage"],
] as const;

type Unit = readonly [node: string, type: string, name: string, size: number, free: number];

const fields = "node,type,name,size,free";

export function Storage({ name, me }: { readonly name: string; readonly me: Me }) {
  const { outcome, submit } = useJob();
  const { job, problem } = outcome;
  const list = (kind: string) => {
    const path = `/2/nodes/${encodeURIComponent(name)}/storage`;
    void submit(() => ask("GET", `${path}?storage_type=${kind}&output_fields=${fields}`));
  };
  const { value } = useLive(`storage ${job}`, [`job ${job}`], async () =>
    job === undefined ? undefined : ask<Job>("GET", `/2/jobs/${job}`),
  );
  const isDone = value?.status === "success";
  const units = isDone ? ((value?.opresult[0] ?? []) as readonly Unit[]) : [];
  return (
    <section class="card" aria-label="Storage">
      <div class="heading">
        <h2>Storage</h2>
        <p>the node is asked by a job</p>
      </div>
      <div class="actions">
        {kinds.map(([kind, title]) => (
          <Action key={kind} off={withoutRight(me)} onClick={() => list(kind)}>
            {title}
          </Action>
        ))}
      </div>
      {problem && <Notice kind="error">{problem}</Notice>}
      {job !== undefined && !(isDone && hasEnded(value?.status ?? "")) && (
        <JobNotice id={job} done={["nodes", name]} />
      )}
      {isDone && (
        <Table
          title="Units"
          heads={["Unit", "Kind", "Size", "Free"]}
          rows={units.map(([, type, unit, size, free]) => [
            unit,
            type,
            sizeText(size),
            sizeText(free),
          ])}
        />
      )}
    </section>
  );
}
