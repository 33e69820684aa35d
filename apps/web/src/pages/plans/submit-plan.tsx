/** Button that submits the jobs of a plan after a confirmation. */
import { useState } from "preact/hooks";
import type { Me } from "../../api/shapes.js";
import { Action, withoutRight } from "../../parts/action.js";
import { Confirm } from "../../parts/confirm.js";
import { Notice } from "../../parts/notice.js";
import type { Run } from "./use-run.js";

export function SubmitPlan(props: {
  /** Number of moves. */
  readonly count: number;
  /** Reason why the plan cannot be carried out. */
  readonly fault: string | undefined;
  readonly run: Run;
  readonly me: Me;
  readonly onSubmit: () => Promise<void>;
}) {
  const { count, fault, run, me, onSubmit } = props;
  const [isAsking, setAsking] = useState(false);
  const off =
    withoutRight(me) ??
    (count === 0 ? "Nothing moves" : undefined) ??
    fault ??
    (run.isBusy ? "The request is on its way" : undefined);
  if (count === 0 && run.problem === undefined) return null;
  const title = count === 1 ? "Make 1 move" : `Make ${count} moves`;
  return (
    <div class="actions">
      <Action kind="strong" off={off} onClick={() => setAsking(true)}>
        {title}
      </Action>
      {off && <small>{off}</small>}
      {run.problem && <Notice kind="error">{run.problem}</Notice>}
      {isAsking && (
        <Confirm
          question={`${title}? Running instances are migrated live. Jobs that have not begun can be stopped at any time.`}
          action={title}
          onAnswer={(word) => {
            setAsking(false);
            if (word !== undefined) void onSubmit();
          }}
        />
      )}
    </div>
  );
}
