/** List of facts about an object, each with a title. */
import type { ComponentChildren } from "preact";

export const Facts = (props: {
  readonly facts: readonly (readonly [title: string, fact: ComponentChildren])[];
}) => (
  <dl class="card facts">
    {props.facts.map(([title, fact]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{fact}</dd>
      </div>
    ))}
  </dl>
);
