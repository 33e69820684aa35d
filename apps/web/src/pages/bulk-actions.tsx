/** Start and stop of selected instances: one job each, with the outcome of the requests. */
import { useState } from "preact/hooks";
import { linkTo } from "../address.js";
import { ask } from "../api/server.js";
import type { Me } from "../api/shapes.js";
import { Confirm } from "../parts/confirm.js";
import { Notice } from "../parts/notice.js";

type Action = "startup" | "shutdown";

interface Outcome {
  readonly jobs: readonly number[];
  readonly failures: readonly string[];
}

/** Submits a job for each instance, one request after the other; failures do not hold up the others. */
async function submitted(action: Action, names: readonly string[]): Promise<Outcome> {
  const jobs: number[] = [];
  const failures: string[] = [];
  for (const name of names) {
    try {
      jobs.push(Number(await ask("PUT", `/2/instances/${encodeURIComponent(name)}/${action}`)));
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  return { jobs, failures };
}

export function BulkActions(props: {
  readonly names: readonly string[];
  readonly me: Me;
  readonly onDone?: () => void;
}) {
  const { names, me, onDone = () => {} } = props;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async (action: Action) => {
    setBusy(true);
    setOutcome(await submitted(action, names));
    setBusy(false);
    onDone();
  };
  const isOff = !me.rights.write || names.length === 0 || isBusy;
  const reason = me.rights.write
    ? names.length === 0
      ? "Choose instances first"
      : ""
    : "Your user may only read: changes need the option write in the users file";
  const what = names.length === 1 ? names[0] : `${names.length} instances`;
  return (
    <div class="actions">
      <button type="button" disabled={isOff} title={reason} onClick={() => run("startup")}>
        Start
      </button>
      <button type="button" disabled={isOff} title={reason} onClick={() => setAsking(true)}>
        Stop
      </button>
      <small>{names.length > 1 ? `${names.length} chosen` : !me.rights.write && reason}</small>
      {isAsking && (
        <Confirm
          question={`Stop ${what}? Programs inside are shut down.`}
          action="Stop"
          onAnswer={(yes) => {
            setAsking(false);
            if (yes) void run("shutdown");
          }}
        />
      )}
      {outcome && <Result outcome={outcome} />}
    </div>
  );
}

/** Maximum number of jobs that are linked individually; beyond it only their number is shown. */
const linkedMax = 5;

function Result({ outcome: { jobs, failures } }: { readonly outcome: Outcome }) {
  return (
    <>
      {jobs.length > 0 && (
        <Notice kind="done">
          {jobs.length} {jobs.length === 1 ? "job" : "jobs"} submitted:{" "}
          {jobs.slice(0, linkedMax).map((id) => (
            <>
              <a href={linkTo(["jobs", String(id)])}>{id}</a>{" "}
            </>
          ))}
          {jobs.length > linkedMax && <a href={linkTo(["jobs"])}>and others</a>}
        </Notice>
      )}
      {failures.map((text) => (
        <Notice kind="error">{text}</Notice>
      ))}
    </>
  );
}
