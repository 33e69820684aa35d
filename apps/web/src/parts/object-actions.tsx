/** Buttons for changes of the selected objects, and the outcome of their jobs. */
import { useRef, useState } from "preact/hooks";
import type { Me } from "../api/shapes.js";
import { Action, withoutRight } from "./action.js";
import { Confirm } from "./confirm.js";
import { type ObjectAction, type Outcome, submitted } from "./submitted.js";
import { Submitted } from "./submitted-notice.js";

export function ObjectActions(props: {
  readonly actions: readonly ObjectAction[];
  /** Noun for one of the objects, such as `instance`. */
  readonly noun: string;
  readonly names: readonly string[];
  readonly me: Me;
  readonly onDone?: () => void;
}) {
  const { actions, noun, names, me, onDone = () => {} } = props;
  const [asked, setAsked] = useState<ObjectAction>();
  const [isBusy, setBusy] = useState(false);
  const { outcomes, add, succeeded, begin } = useOutcomes();
  const run = async (action: ObjectAction, word = "") => {
    setAsked(undefined);
    begin();
    setBusy(true);
    add(await submitted(action, names, word));
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
          names={asked.isDangerous ? names : undefined}
          isDangerous={asked.isDangerous}
          typed={asked.isFinal ? (names.length === 1 ? names[0] : String(names.length)) : undefined}
          onAnswer={(word) => (word === undefined ? setAsked(undefined) : void run(asked, word))}
        />
      )}
      {outcomes.map((outcome) => (
        <Submitted key={outcome} outcome={outcome} onSuccess={() => succeeded(outcome)} />
      ))}
    </div>
  );
}

/** Maximum number of outcomes shown at the same time. */
const outcomesMax = 4;

/** Hook: outcomes of the latest actions, newest first; those that have not succeeded stay when another action begins. */
function useOutcomes() {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const good = useRef(new Set<Outcome>());
  return {
    outcomes,
    begin: () => setOutcomes((all) => all.filter((one) => !good.current.has(one))),
    add: (outcome: Outcome) => setOutcomes((all) => [outcome, ...all].slice(0, outcomesMax)),
    succeeded: (outcome: Outcome) => void good.current.add(outcome),
  };
}
