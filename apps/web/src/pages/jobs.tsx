/** Page of the jobs that are not archived, newest first, updated live. */
import { useMemo } from "preact/hooks";
import { linkTo, replaceArgs, useAddress } from "../address.js";
import { useCollection } from "../api/collection.js";
import { hasEnded, type JobRow } from "../api/shapes.js";
import { jobSource } from "../api/sources.js";
import { useNarrow } from "../parts/narrow.js";
import { PageHeading } from "../parts/notice.js";
import { Rows } from "../parts/rows.js";
import { Status } from "../parts/status.js";
import { timeText } from "../words.js";

const choices = [
  ["", "All"],
  ["open", "At work"],
  ["failed", "Failed"],
] as const;

const isChosen = ({ status }: JobRow, choice: string): boolean =>
  choice === "" || (choice === "open" ? !hasEnded(status) : status === "error");

export function JobsPage() {
  const address = useAddress();
  const { rows, problem } = useCollection("jobs", jobSource);
  const search = (address.args.get("q") ?? "").toLowerCase();
  const show = address.args.get("show") ?? "";
  const isNarrow = useNarrow();
  const shown = useMemo(
    () =>
      [...(rows?.values() ?? [])]
        .filter((job) => isChosen(job, show))
        .filter(
          ({ id, summary }) =>
            search === "" || `${id} ${summary.join(" ")}`.toLowerCase().includes(search),
        )
        .toSorted((a, b) => b.id - a.id),
    [rows, show, search],
  );
  const change = (name: string) => (event: Event) =>
    replaceArgs(address, { [name]: (event.currentTarget as HTMLInputElement).value });
  return (
    <>
      <PageHeading title="Jobs" problem={problem}>
        <p role="status">
          {rows === undefined ? (problem ? "" : "loading …") : `${shown.length} of ${rows.size}`}
        </p>
      </PageHeading>
      <div class="controls">
        <input
          type="search"
          aria-label="Search jobs"
          placeholder="Search number, words ( / )"
          value={search}
          onInput={change("q")}
        />
        <select aria-label="Which jobs" value={show} onChange={change("show")}>
          {choices.map(([key, text]) => (
            <option value={key} key={key}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <Rows
        label="Jobs"
        widths={isNarrow ? "3rem 6rem minmax(0, 1fr)" : "4rem 7rem minmax(0, 1fr) 14rem"}
        rows={shown}
        keyOf={({ id }) => id}
        head={["Job", "Status", "Operations", ...(isNarrow ? [] : ["Submitted"])].map((title) => (
          <span role="columnheader" key={title}>
            {title}
          </span>
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
            <span role="cell" title={job.summary.join(", ")}>
              {job.summary.join(", ")}
            </span>
            {!isNarrow && <span role="cell">{timeText(job.received_ts)}</span>}
          </>
        )}
      </Rows>
    </>
  );
}
