/** Button that shows why it is disabled. It stays focusable, so that keyboards and screen readers reach the reason. */
import type { ComponentChildren } from "preact";
import type { Me } from "../api/shapes.js";

type Right = "write" | "full";

/** Why the user's rights forbid a change; undefined if they allow it. */
export const withoutRight = (me: Me, right: Right = "write"): string | undefined =>
  me.rights[right]
    ? undefined
    : `Your user ${me.rights.write ? "lacks the option full" : "may only read"}: this needs the option ${right} in the users file`;

/** Form that is not sent while `off` gives a reason, which stands beside its button. */
export function SubmitForm(props: {
  readonly title: string;
  readonly class?: string;
  readonly off: string | undefined;
  readonly submit: () => unknown;
  readonly action: string;
  readonly kind?: "normal" | "strong";
  /** Below the button. */
  readonly outcome: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, off, kind = "strong" } = props;
  const send = (event: Event) => {
    event.preventDefault();
    if (off === undefined) props.submit();
  };
  return (
    <form class={props.class ?? "card form"} onSubmit={send} aria-label={title}>
      {props.children}
      <div class="buttons">
        <Action kind={kind} type="submit" off={off}>
          {props.action}
        </Action>
        {off !== undefined && <small>{off}</small>}
      </div>
      {props.outcome}
    </form>
  );
}

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
