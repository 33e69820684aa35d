/** Buttons for changes of the instances that are chosen, and what became of the requests. */
import { useState } from "preact/hooks";
import { linkTo } from "../../address.js";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Confirm } from "../../parts/confirm.js";
import { Notice } from "../../parts/notice.js";
import { actions, type InstanceAction, type Outcome, submitted } from "./action-list.js";

export function Actions(props: {
  readonly names: readonly string[];
  readonly me: Me;
  readonly onDone?: () => void;
}) {
  const { names, me, onDone = () => {} } = props;
  const [asked, setAsked] = useState<InstanceAction>();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async (action: InstanceAction, word = "") => {
    setAsked(undefined);
    setBusy(true);
    setOutcome(await submitted(action, names, word));
    setBusy(false);
    onDone();
  };
  const off =
    withoutRight(me) ??
    (names.length === 0 ? "Choose instances first" : undefined) ??
    (isBusy ? "Requests are on their way" : undefined);
  const what = names.length === 1 ? String(names[0]) : `${names.length} instances`;
  return (
    <div class="actions">
      {actions.map((action) => (
        <Action
          key={action.title}
          off={off}
          kind={action.isDangerous ? "danger" : "normal"}
          onClick={() => (action.question || action.wants ? setAsked(action) : void run(action))}
        >
          {action.title}
        </Action>
      ))}
      <small>{names.length > 1 ? `${names.length} chosen` : off}</small>
      {asked && (
        <Confirm
          question={asked.question?.(what) ?? `${asked.title} to ${what}`}
          action={asked.title}
          wants={asked.wants}
          onAnswer={(word) => (word === undefined ? setAsked(undefined) : void run(asked, word))}
        />
      )}
      {outcome && <Result outcome={outcome} />}
    </div>
  );
}

/** Jobs linked, and failures shown, one by one; of more only the count is shown. */
const shownMax = 5;

function Result({ outcome: { jobs, failures } }: { readonly outcome: Outcome }) {
  return (
    <>
      {jobs.length > 0 && (
        <Notice kind="done">
          {jobs.length} {jobs.length === 1 ? "job" : "jobs"} submitted:{" "}
          {jobs.slice(0, shownMax).map((id) => (
            <>
              <a href={linkTo(["jobs", String(id)])}>{id}</a>{" "}
            </>
          ))}
          {jobs.length > shownMax && <a href={linkTo(["jobs"])}>and others</a>}
        </Notice>
      )}
      {failures.slice(0, shownMax).map((text) => (
        <Notice kind="error">{text}</Notice>
      ))}
      {failures.length > shownMax && (
        <Notice kind="error">{failures.length - shownMax} more were refused.</Notice>
      )}
    </>
  );
}
