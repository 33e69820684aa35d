/** Card of a plan: its heading with a button that requests it again, and the reason if it cannot be shown. */
import type { ComponentChildren } from "preact";
import { Notice } from "../../parts/notice.js";
import type { Planning } from "./use-plan.js";

export function PlanCard(props: {
  readonly planning: Planning<unknown>;
  readonly children: ComponentChildren;
}) {
  const { problem, isPending, again } = props.planning;
  return (
    <section class="card plan" aria-label="Plan" aria-busy={isPending}>
      <div class="heading">
        <h2>Plan</h2>
        <span class="grow" />
        <button type="button" onClick={again}>
          Plan again
        </button>
      </div>
      {problem && <Notice kind="error">{problem}</Notice>}
      {isPending && <p role="status">Planning …</p>}
      {props.children}
    </section>
  );
}
