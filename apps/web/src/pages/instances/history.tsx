/** Jobs about an instance that are not archived, the latest first. */
import { linkTo } from "../../address.js";
import { useLive } from "../../api/live.js";
import { query } from "../../api/server.js";
import { type JobRow, jobFields } from "../../api/shapes.js";
import { Status } from "../../parts/status.js";
import { Table } from "../../parts/table.js";
import { timeText } from "../../words.js";

/** Operations on one instance, whose summaries end with its name. */
const operations = [
  ...["CREATE", "STARTUP", "SHUTDOWN", "REBOOT", "REINSTALL", "RENAME", "SET_PARAMS"],
  ...["MIGRATE", "FAILOVER", "MOVE", "CHANGE_GROUP", "REPLACE_DISKS", "RECREATE_DISKS"],
  ...["GROW_DISK", "ACTIVATE_DISKS", "DEACTIVATE_DISKS"],
];

/** Jobs shown. */
const shownMax = 20;

async function jobsAbout(name: string): Promise<readonly JobRow[]> {
  const filter = operations.map((one) => ["=[]", "summary", `INSTANCE_${one}(${name})`]);
  const rows = await query<JobRow>("job", jobFields, ["|", ...filter]);
  return rows.toSorted((a, b) => b.id - a.id);
}

export function History({ name }: { readonly name: string }) {
  const { value, problem } = useLive(
    `history ${name}`,
    (event) => event.topic === "job" && event.summary.some((text) => text.includes(`(${name})`)),
    () => jobsAbout(name),
  );
  const jobs = value ?? [];
  return (
    <Table
      title="History"
      note={problem ? <p>{problem}</p> : jobs.length > shownMax && <p>the latest {shownMax}</p>}
      heads={["Job", "Operation", "Status", "Submitted"]}
      rows={jobs
        .slice(0, shownMax)
        .map((job) => [
          <a href={linkTo(["jobs", String(job.id)])}>{job.id}</a>,
          job.summary.join(", "),
          <Status of={job.status} isJob />,
          timeText(job.received_ts),
        ])}
    />
  );
}
