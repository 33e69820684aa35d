/** Button that shows why it is disabled. It stays focusable, so that keyboards and screen readers reach the reason. */
import type { ComponentChildren } from "preact";
import type { Me } from "../api/shapes.js";

type Right = "write" | "full";

/** Why the user's rights forbid a change; undefined if they allow it. */
export const withoutRight = (me: Me, right: Right = "write"): string | undefined =>
  me.rights[right]
    ? undefined
    : `Your user ${me.rights.write ? "lacks the option full" : "may only read"}: this needs the option ${right} in the users file`;

/** Row with the button that submits a form, and the reason if it is disabled. */
export const SubmitRow = (props: {
  readonly off: string | undefined;
  readonly kind?: "normal" | "strong";
  readonly children: ComponentChildren;
}) => (
  <div class="buttons">
    <Action kind={props.kind ?? "strong"} type="submit" off={props.off}>
      {props.children}
    </Action>
    {props.off !== undefined && <small>{props.off}</small>}
  </div>
);

export function Action(props: {
  /** Reason why the button is disabled; undefined if it is enabled. */
  readonly off?: string | undefined;
  readonly onClick?: () => void;
  readonly kind?: "normal" | "strong" | "quiet" | "danger";
  readonly type?: "button" | "submit";
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  const { off, onClick, kind = "normal", type = "button", label } = props;
  const press = (event: Event) => {
    if (off !== undefined) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={type}
      class={kind}
      onClick={press}
      aria-disabled={off !== undefined}
      title={off}
      aria-label={label}
      aria-description={off}
    >
      {props.children}
    </button>
  );
}
