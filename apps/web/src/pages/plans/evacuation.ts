/** Plans that empty nodes, as the server returns them, and advice about instances that they cannot move. */
/** Choices of the instances that leave the nodes, by the name in the URL. */
export const scopes = [
  ["primaries", "What runs there; mirrors stay (for a reboot)"],
  ["all", "Everything, mirrors too (for a repair)"],
  ["other-groups", "Everything, to other node groups"],
] as const;

export type Scope = (typeof scopes)[number][0];

/** The scope that a text names; the default one for any other text. */
export const scopeOf = (text: string | null): Scope =>
  scopes.find(([scope]) => scope === text)?.[0] ?? "primaries";

/** Advice about an instance that cannot move, by the reason of the server. */
export function adviceOn(reason: string): string | undefined {
  if (/cannot be relocated/.test(reason)) {
    return "Its disks are on this node only: stop it for the maintenance, or give it a mirror first.";
  }
  if (/Fail(?:Mem|Disk|CPU|N1|Spindles)|any good nodes|No suitable|No valid/i.test(reason)) {
    return "There is no room for it: choose fewer nodes, balance the group, or stop instances first.";
  }
  if (/FailTags/.test(reason)) return "Its exclusion tags keep it apart from others.";
  if (/drained or offline/.test(reason)) {
    return "Bring that node back first, or move everything.";
  }
  return undefined;
}
