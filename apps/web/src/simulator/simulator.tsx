/** The simulator's page: a cluster, operations on a copy of it, and two states side by side. */
import { useEffect, useRef, useState } from "preact/hooks";
import { download } from "../parts/download.js";
import { Notice } from "../parts/notice.js";
import { ThemeSwitch } from "../parts/theme-switch.js";
import { ClusterColumn } from "./cluster-column.js";
import { Course } from "./course.js";
import type { Engine } from "./engine.js";
import { advanced, begun, type History, labelOf, returned } from "./history.js";
import { linkPart, textInLink } from "./link.js";
import { NodeDialog } from "./node-dialog.js";
import type { Operation, Source } from "./operations.js";
import { Start } from "./start.js";
import { Toolbox } from "./toolbox.js";

export function Simulator({ engine }: { readonly engine: Engine }) {
  const [history, setHistory] = useState<History>();
  const [progress, setProgress] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [note, setNote] = useState<string>();

  /** Runs a task with its progress, and shows its failure. */
  const attempt = (work: () => Promise<void>) => {
    setProblem(undefined);
    setNote(undefined);
    setProgress("working …");
    work()
      .catch((error: Error) => setProblem(error.message))
      .finally(() => setProgress(undefined));
  };
  const open = (label: string, source: Source | Promise<Source>) =>
    attempt(async () => setHistory(begun(label, await engine.read(await source))));
  const run = (operation: Operation) =>
    attempt(async () => {
      const present = history?.entries.at(history.right);
      if (history === undefined || present === undefined) return;
      const stage = await engine.run(present.stage.data, operation, setProgress);
      setHistory(advanced(returned(history, history.right), labelOf(operation), stage));
    });
  useEffect(() => {
    textInLink(location.hash).then(
      (text) => text !== undefined && open("Cluster of the link", { kind: "text", text }),
      (error: Error) => setProblem(error.message),
    );
  }, []);
  const isBusy = progress !== undefined;
  return (
    <div class="frame">
      <Header
        history={history}
        isBusy={isBusy}
        onSave={() => attempt(() => save(engine, history))}
        onShare={() => attempt(async () => setNote(await share(engine, history)))}
        onNew={() => setHistory(undefined)}
      />
      <div role="status">
        {problem && <Notice kind="error">{problem}</Notice>}
        {note && <Notice kind="done">{note}</Notice>}
        {progress && (
          <Notice kind="done">
            {progress}{" "}
            <button type="button" onClick={() => engine.stop()}>
              Stop
            </button>
          </Notice>
        )}
      </div>
      {history === undefined ? (
        <Start isBusy={isBusy} onSource={open} />
      ) : (
        <Workspace history={history} isBusy={isBusy} onRun={run} onHistory={setHistory} />
      )}
    </div>
  );
}

async function save(engine: Engine, history: History | undefined): Promise<void> {
  const entry = history?.entries[history.right];
  if (entry === undefined) return;
  download("cluster.data", "text/plain", await engine.text(entry.stage.data));
}

/** Puts the cluster into the address, and returns a message for the user. */
async function share(engine: Engine, history: History | undefined): Promise<string> {
  const entry = history?.entries[history.right];
  if (entry === undefined) return "";
  const part = await linkPart(await engine.text(entry.stage.data));
  if (part === undefined) {
    throw new Error("this cluster is too large for a link: save it as a text file, and send that");
  }
  window.history.replaceState(null, "", part);
  return "The address of this page now contains the cluster: copy it from the address bar.";
}

function Header(props: {
  readonly history: History | undefined;
  readonly isBusy: boolean;
  readonly onSave: () => void;
  readonly onShare: () => void;
  readonly onNew: () => void;
}) {
  return (
    <header class="bar">
      <strong class="brand">Placement simulator</strong>
      <div class="tools">
        {props.history && (
          <>
            <button type="button" disabled={props.isBusy} onClick={props.onSave}>
              Save as text
            </button>
            <button type="button" disabled={props.isBusy} onClick={props.onShare}>
              Share as link
            </button>
            <button type="button" disabled={props.isBusy} onClick={props.onNew}>
              Another cluster
            </button>
          </>
        )}
        <ThemeSwitch auto="System theme" />
      </div>
    </header>
  );
}

function Workspace(props: {
  readonly history: History;
  readonly isBusy: boolean;
  readonly onRun: (operation: Operation) => void;
  readonly onHistory: (history: History) => void;
}) {
  const { history, isBusy, onRun, onHistory } = props;
  const [chosen, setChosen] = useState<{ side: "left" | "right"; node: string }>();
  const content = useRef<HTMLElement>(null);
  const entry = (side: "left" | "right") => history.entries[history[side]];
  const left = entry("left")?.stage;
  const right = entry("right")?.stage;
  if (left === undefined || right === undefined) return null;
  return (
    <main ref={content} class="workspace">
      <h1 class="unseen">Simulation</h1>
      <Toolbox state={right.state} isBusy={isBusy} onRun={onRun} />
      <div class="sides">
        {(["left", "right"] as const).map((side) => (
          <section key={side} aria-label={side === "left" ? "Compared with" : "State"}>
            <label class="heading">
              {side === "left" ? "Compared with" : "State"}
              <select
                value={String(history[side])}
                onChange={(event) =>
                  onHistory({ ...history, [side]: Number(event.currentTarget.value) })
                }
              >
                {history.entries.map(({ label }, at) => (
                  <option key={at} value={String(at)}>
                    {at}. {label}
                  </option>
                ))}
              </select>
            </label>
            <ClusterColumn
              state={side === "left" ? left.state : right.state}
              other={side === "left" ? right.state : left.state}
              onNode={(node) => setChosen({ side, node })}
            />
          </section>
        ))}
      </div>
      <section aria-label="Course">
        <h2>Course</h2>
        <Course
          history={history}
          isBusy={isBusy}
          onReturn={(position) => onHistory(returned(history, position))}
        />
      </section>
      {chosen && (
        <NodeDialog
          data={chosen.side === "left" ? left.data : right.data}
          name={chosen.node}
          onRun={chosen.side === "right" && !isBusy ? onRun : undefined}
          onClose={() => setChosen(undefined)}
        />
      )}
    </main>
  );
}
