/** Jobs that are not archived, newest first, as they change. */
import { linkTo, replaceArgs, useAddress } from "../address.js";
import { useLive } from "../api/live.js";
import { query } from "../api/server.js";
import { hasEnded, type JobRow, jobFields } from "../api/shapes.js";
import { Notice } from "../parts/notice.js";
import { Rows } from "../parts/rows.js";
import { Status } from "../parts/status.js";
import { timeText } from "../words.js";

const choices = [
  ["", "All"],
  ["open", "At work"],
  ["failed", "Failed"],
] as const;

export function JobsPage() {
  const address = useAddress();
  const { value, problem } = useLive("jobs", ["job"], () => query<JobRow>("job", jobFields));
  const search = address.args.get("q") ?? "";
  const show = address.args.get("show") ?? "";
  const shown = (value ?? [])
    .filter(
      ({ status }) => show === "" || (show === "open" ? !hasEnded(status) : status === "error"),
    )
    .filter(({ id, summary }) =>
      `${id} ${summary.join(" ")}`.toLowerCase().includes(search.toLowerCase()),
    )
    .toSorted((a, b) => b.id - a.id);
  const change = (name: string) => (event: Event) =>
    replaceArgs(address, { [name]: (event.currentTarget as HTMLInputElement).value });
  return (
    <>
      <div class="heading">
        <h1>Jobs</h1>
        <p role="status">
          {value === undefined ? "loading …" : `${shown.length} of ${value.length}`}
        </p>
      </div>
      {problem && <Notice kind="warning">{problem}</Notice>}
      <div class="controls">
        <input
          type="search"
          aria-label="Search jobs"
          placeholder="Search number or words ( / )"
          value={search}
          onInput={change("q")}
        />
        <select aria-label="Which jobs" value={show} onChange={change("show")}>
          {choices.map(([key, text]) => (
            <option value={key}>{text}</option>
          ))}
        </select>
      </div>
      <Rows
        label="Jobs"
        columns="of-jobs"
        rows={shown}
        keyOf={({ id }) => id}
        head={["Job", "Status", "Operations", "Submitted"].map((title) => (
          <span role="columnheader">{title}</span>
        ))}
      >
        {(job) => (
          <>
            <span role="cell">
              <a href={linkTo(["jobs", String(job.id)])}>{job.id}</a>
            </span>
            <span role="cell">
              <Status of={job.status} isJob />
            </span>
            <span role="cell">{job.summary.join(", ")}</span>
            <span role="cell" class="extra">
              {timeText(job.received_ts)}
            </span>
          </>
        )}
      </Rows>
    </>
  );
}
