/** Buttons for changes of the objects that are chosen, and what became of the requests. */
import { useState } from "preact/hooks";
import { linkTo } from "../address.js";
import type { Me } from "../api/shapes.js";
import { Action, withoutRight } from "./action.js";
import { Confirm } from "./confirm.js";
import { Notice } from "./notice.js";
import { type ObjectAction, type Outcome, submitted } from "./submitted.js";

export function ObjectActions(props: {
  readonly actions: readonly ObjectAction[];
  /** One of the objects: `instance`. */
  readonly noun: string;
  readonly names: readonly string[];
  readonly me: Me;
  readonly onDone?: () => void;
}) {
  const { actions, noun, names, me, onDone = () => {} } = props;
  const [asked, setAsked] = useState<ObjectAction>();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async (action: ObjectAction, word = "") => {
    setAsked(undefined);
    setOutcome(undefined);
    setBusy(true);
    setOutcome(await submitted(action, names, word));
    setBusy(false);
    onDone();
  };
  const off =
    withoutRight(me) ??
    (names.length === 0 ? `Choose ${noun}s first` : undefined) ??
    (isBusy ? "Requests are on their way" : undefined);
  const what = names.length === 1 ? String(names[0]) : `${names.length} ${noun}s`;
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
      {outcome && <Submitted outcome={outcome} />}
    </div>
  );
}

/** Jobs linked, and failures shown, one by one; of more only the count is shown. */
const shownMax = 5;

/** Jobs that have been submitted, and requests that were refused. */
export function Submitted({ outcome: { jobs, failures } }: { readonly outcome: Outcome }) {
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
