/** A script that the cluster's owner has put on nodes. */

export interface HookScript {
  /** UUID; absent: on every node. */
  readonly node?: string;
  /** `instance-add-pre.d`. */
  readonly directory: string;
  readonly name: string;
  /** What it does; without an answer, it goes well and prints nothing. */
  readonly run: (
    environment: Readonly<Record<string, string>>,
    node: string,
  ) => { readonly ok?: boolean; readonly output?: string } | undefined;
}
