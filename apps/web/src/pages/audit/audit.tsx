/** Audit page: jobs with user, time, cause and the jobs that led to them, and all other actions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { linkTo, replaceArgs, useAddress } from "../../address.js";
import { onEvent } from "../../api/live.js";
import { Action } from "../../parts/action.js";
import { download } from "../../parts/download.js";
import { TextField } from "../../parts/field.js";
import { Notice, PageHeading } from "../../parts/notice.js";
import { Status } from "../../parts/status.js";
import { timeText } from "../../words.js";
import {
  type ActionEntry,
  actionText,
  type Branch,
  branchesOf,
  countText,
  csvOf,
  type Entry,
  whoText,
} from "./entries.js";
import {
  allAudited,
  auditedMore,
  exportedMax,
  type Search,
  searchFault,
  searchIn,
  searchNames,
} from "./search.js";
import "../../styles/audit.css";

export default function AuditPage() {
  const address = useAddress();
  const search = searchIn(address.args);
  const fault = searchFault(search);
  const list = useAudit(search, fault);
  return (
    <>
      <PageHeading
        title="Audit"
        says="Every job with its user, time and reasons, archived ones too; logins, cancellations, rules and all other actions."
      />
      <SearchForm search={search} fault={fault} onChange={(to) => replaceArgs(address, to)} />
      {list.problem && <Notice kind="error">{list.problem}</Notice>}
      {search.cause !== "" && (
        <p>
          Job {search.cause} and all jobs that it led to.{" "}
          <a href={linkTo(["audit"], { ...search, cause: "" })}>All jobs</a>
        </p>
      )}
      <Export search={search} fault={fault} />
      {list.newer > 0 && (
        <button type="button" onClick={list.again}>
          Show {list.newer} newer {list.newer === 1 ? "job" : "jobs"}
        </button>
      )}
      <Entries list={list} />
    </>
  );
}

interface Listed {
  readonly entries: readonly Entry[];
  readonly next: string | null;
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  /** Number of jobs submitted after the list was read; the search may not match them. */
  readonly newer: number;
  more(): void;
  again(): void;
}

/** Pause (ms) after the last key before the search is sent. */
const pauseMs = 250;

type State = Pick<Listed, "entries" | "next"> & {
  readonly problem?: string;
  readonly last?: number | undefined;
};

function useAudit(search: Search, fault: string | undefined): Listed {
  const [state, setState] = useState<State>({ entries: [], next: null });
  const [isBusy, setBusy] = useState(true);
  const [round, setRound] = useState(0);
  const newer = useNewerJobs(state.last);
  const gone = useRef(new AbortController());
  const read = async (before: string | null, old: readonly Entry[]) => {
    const { signal } = gone.current;
    setBusy(true);
    try {
      const { entries, next, last } = await auditedMore(search, before, signal);
      // Reading older entries does not change which jobs count as newer.
      setState((was) => ({
        ...{ entries: [...old, ...entries], next },
        last: before === null ? last : was.last,
      }));
      setBusy(false);
    } catch (error) {
      if (signal.aborted) return;
      setState((was) => ({ ...was, problem: (error as Error).message }));
      setBusy(false);
    }
  };
  useEffect(() => {
    if (fault !== undefined) return;
    gone.current = new AbortController();
    const timer = setTimeout(() => void read(null, []), pauseMs);
    return () => {
      clearTimeout(timer);
      gone.current.abort();
    };
  }, [JSON.stringify(search), fault, round]);
  return {
    ...{ entries: state.entries, next: state.next, problem: fault ?? state.problem },
    ...{ isBusy: isBusy && fault === undefined, newer },
    more: () => void read(state.next, state.entries),
    again: () => setRound((old) => old + 1),
  };
}

/** Hook: number of jobs with ids above `last`, updated at most once a second; 0 while `last` is unknown. */
function useNewerJobs(last: number | undefined): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    setCount(0);
    if (last === undefined) return;
    const known = new Set<number>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unlisten = onEvent((event) => {
      if (event.topic !== "job" || event.id <= last || known.has(event.id)) return;
      known.add(event.id);
      timer ??= setTimeout(() => {
        timer = undefined;
        setCount(known.size);
      }, 1000);
    });
    return () => {
      clearTimeout(timer);
      unlisten();
    };
  }, [last]);
  return count;
}

const labels: Readonly<Record<(typeof searchNames)[number], string>> = {
  object: "Instance, node or other object",
  user: "User",
  text: "Text of a reason or operation",
  source: "Source of a reason",
  from: "From",
  to: "Until",
  cause: "Job that led to it",
};

const placeholders: Readonly<Partial<Record<keyof Search, string>>> = {
  object: "web1.example.com",
  text: "maintenance",
  source: "gnt:client",
  cause: "17",
};

function SearchForm(props: {
  readonly search: Search;
  readonly fault: string | undefined;
  readonly onChange: (changes: Partial<Search>) => void;
}) {
  const { search, fault, onChange } = props;
  const field = (name: keyof Search) =>
    name === "from" || name === "to" ? (
      <label class="field" key={name}>
        {labels[name]}
        <input
          type="datetime-local"
          value={search[name]}
          onInput={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      </label>
    ) : (
      <TextField
        key={name}
        label={labels[name]}
        value={search[name]}
        placeholder={placeholders[name] ?? ""}
        fault={name === "cause" ? fault : undefined}
        isSearch={name === "object"}
        onChange={(text) => onChange({ [name]: text })}
      />
    );
  return (
    <form
      class="card form audit"
      aria-label="Search the audit"
      onSubmit={(event) => event.preventDefault()}
    >
      <fieldset>{searchNames.slice(0, 2).map(field)}</fieldset>
      <details open={searchNames.slice(2).some((name) => search[name] !== "")}>
        <summary>More conditions</summary>
        <fieldset>{searchNames.slice(2).map(field)}</fieldset>
      </details>
    </form>
  );
}

function Export({
  search,
  fault,
}: {
  readonly search: Search;
  readonly fault: string | undefined;
}) {
  const [said, setSaid] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const save = async (kind: "csv" | "json") => {
    setBusy(true);
    try {
      const entries = await allAudited(search, gone.current.signal, (count) =>
        setSaid(`${count} entries read …`),
      );
      const text = kind === "csv" ? csvOf(entries) : `${JSON.stringify(entries, null, 2)}\n`;
      download(`audit.${kind}`, kind === "csv" ? "text/csv" : "application/json", text);
      const isCut = entries.length >= exportedMax;
      setSaid(
        `${countText(entries) || "nothing"} saved${isCut ? ": narrow the search for older ones" : ""}.`,
      );
    } catch (error) {
      if (!gone.current.signal.aborted) setSaid((error as Error).message);
    }
    setBusy(false);
  };
  const off = fault ?? (isBusy ? "A file is being made" : undefined);
  return (
    <div class="actions">
      <Action off={off} onClick={() => void save("csv")}>
        Save as CSV
      </Action>
      <Action off={off} onClick={() => void save("json")}>
        Save as JSON
      </Action>
      <small role="status">{said}</small>
    </div>
  );
}

function Entries({ list }: { readonly list: Listed }) {
  const { entries, next, isBusy } = list;
  const branches = branchesOf(entries);
  return (
    <section aria-label="Entries" aria-busy={isBusy}>
      <p role="status" class="small">
        {isBusy
          ? "Reading …"
          : entries.length === 0
            ? "Nothing is found."
            : `${countText(entries)}${next === null ? "" : ", and older ones"}`}
      </p>
      <ul class="tree">
        {branches.map((branch) =>
          "children" in branch ? (
            <Node key={branch.entry.id} branch={branch} />
          ) : (
            <ActionNode key={`action ${branch.id}`} entry={branch} />
          ),
        )}
      </ul>
      {next !== null && (
        <div class="actions">
          <Action off={isBusy ? "Entries are being read" : undefined} onClick={list.more}>
            Older ones
          </Action>
        </div>
      )}
    </section>
  );
}

function ActionNode({ entry }: { readonly entry: ActionEntry }) {
  return (
    <li>
      <article class="card" aria-label={actionText(entry)}>
        <div class="heading">
          <span class="what">{actionText(entry)}</span>
          <span class="small">{entry.done ? "done" : "refused"}</span>
          <span class="small">{timeText(entry.time)}</span>
          <span class="small">
            by {whoText(entry)}
            {entry.address && ` from ${entry.address}`}
          </span>
        </div>
        {entry.text !== "" && <p>{entry.text}</p>}
      </article>
    </li>
  );
}

function Node({ branch }: { readonly branch: Branch }) {
  const { entry, children } = branch;
  const [first] = entry.causes;
  return (
    <li>
      <article class="card" aria-label={`Job ${entry.id}`}>
        <div class="heading">
          <a href={linkTo(["jobs", String(entry.id)])}>Job {entry.id}</a>
          <Status of={entry.status} isJob />
          <span class="small">{timeText(entry.received_ts)}</span>
          <span class="small">by {whoText(entry)}</span>
          {entry.archived && <span class="small">archived</span>}
        </div>
        <p class="what">{entry.summary.join(", ")}</p>
        {entry.why.length > 0 && <p>Why: {entry.why.join("; ")}</p>}
        <details>
          <summary>Trail</summary>
          <ol class="log">
            {entry.reasons.map(({ source, text, time }, at) => (
              <li key={at}>
                <time>{new Date(time).toLocaleString()}</time> <code>{source}</code> {text}
              </li>
            ))}
          </ol>
          <p>
            <a href={linkTo(["audit"], { cause: String(first ?? entry.id) })}>
              {first === undefined ? "All that it led to" : `All that job ${first} led to`}
            </a>
          </p>
        </details>
      </article>
      {children.length > 0 && (
        <ul class="tree">
          {children.map((child) => (
            <Node key={child.entry.id} branch={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
