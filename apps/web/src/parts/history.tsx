/** Jobs about one object that are not archived, the latest first. */
import { linkTo } from "../address.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import { type JobRow, jobFields } from "../api/shapes.js";
import { timeText } from "../words.js";
import { Status } from "./status.js";
import { Table } from "./table.js";

/** Maximum number of jobs shown. */
const shownMax = 20;

async function jobsAbout(name: string, operations: readonly string[]): Promise<readonly JobRow[]> {
  const filter = operations.map((one) => ["=[]", "summary", `${one}(${name})`]);
  const rows = await query("job", jobFields, ["|", ...filter]);
  return rows.toSorted((a, b) => b.id - a.id);
}

export function History(props: {
  readonly name: string;
  /** Operations as they are named in summaries of jobs, before the object's name in parentheses. */
  readonly operations: readonly string[];
}) {
  const { name, operations } = props;
  const { value, problem } = useLive(
    `history ${name}`,
    (event) => event.topic === "job" && event.summary.some((text) => text.includes(`(${name})`)),
    () => jobsAbout(name, operations),
  );
  const jobs = value ?? [];
  return (
    <Table
      title="History"
      note={
        <p>
          {problem ?? (jobs.length > shownMax && `the latest ${shownMax}`)}
          <a href={linkTo(["audit"], { object: name })}>Everything that touched it</a>
        </p>
      }
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
