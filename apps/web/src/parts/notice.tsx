/** Message on the page: an error, a warning, an activity in progress, or a result. */
import type { ComponentChildren } from "preact";

export function Notice(props: {
  readonly kind: "error" | "warning" | "busy" | "done";
  readonly children: ComponentChildren;
}) {
  return (
    <p class={`notice ${props.kind}`} role={props.kind === "error" ? "alert" : "status"}>
      {props.children}
    </p>
  );
}

/** In place of something that has not been read: why, or that it is being read. */
export const Unread = ({ problem }: { readonly problem: string | undefined }) =>
  problem ? <Notice kind="error">{problem}</Notice> : <p>Loading …</p>;
