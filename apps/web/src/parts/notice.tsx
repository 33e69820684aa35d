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

/** Title of a page, what it says, more beside it, and a problem of the page. */
export const PageHeading = (props: {
  readonly title: ComponentChildren;
  readonly says?: string;
  readonly problem?: string | undefined;
  readonly children?: ComponentChildren;
}) => (
  <>
    <div class="heading">
      <h1>{props.title}</h1>
      {props.says && <p>{props.says}</p>}
      {props.children}
    </div>
    {props.problem && <Notice kind="warning">{props.problem}</Notice>}
  </>
);
