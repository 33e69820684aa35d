/** Hook script that the cluster's owner has put on nodes. */

export interface HookScript {
  /** UUID; absent: on every node. */
  readonly node?: string;
  /** Such as `instance-add-pre.d`. */
  readonly directory: string;
  readonly name: string;
  /** Function run as the script; without a result, it succeeds and prints nothing. */
  readonly run: (
    environment: Readonly<Record<string, string>>,
    node: string,
  ) => { readonly ok?: boolean; readonly output?: string } | undefined;
}
