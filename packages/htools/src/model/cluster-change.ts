/** Change of a cluster's data: objects that are added, removed or replaced, by position. */
import type { ClusterData, GroupData, InstanceData, NodeData } from "@ganeti-ts/protocol";

/** Objects that are absent stay as they are. */
export interface ClusterChange {
  /** Positions, before the change, of instances that are removed. */
  readonly removed?: readonly number[];
  /** New instances, with the position that each has after the change. */
  readonly added?: readonly At<InstanceData>[];
  /** Instances with another size, state or place, by position after the change. */
  readonly changed?: readonly At<InstanceData>[];
  /** Nodes with other figures, tags or states. */
  readonly nodes?: readonly At<NodeData>[];
  /** Groups with another policy, other networks or another allocation policy. */
  readonly groups?: readonly At<GroupData>[];
}

/** An object, and its position. */
export interface At<T> {
  readonly index: number;
  readonly data: T;
}

/** The data after a change. Cost: O(changed), and a copy of each list with changes. */
export const changedData = (data: ClusterData, change: ClusterChange): ClusterData => ({
  ...data,
  groups: replaced(data.groups, change.groups),
  nodes: replaced(data.nodes, change.nodes),
  instances: hasInstances(change) ? afterChange(data.instances, change) : data.instances,
});

const afterChange = (instances: readonly InstanceData[], change: InstanceChange) => {
  const after = instances.slice();
  splice(after, change, (one) => one.data);
  return after;
};

function replaced<T>(list: readonly T[], changed: readonly At<T>[] = []): readonly T[] {
  if (changed.length === 0) return list;
  const copy = list.slice();
  replace(copy, changed);
  return copy;
}

/** Replaces objects in place. */
export function replace<T>(list: T[], changed: readonly At<T>[] = []): void {
  for (const { index, data } of changed) list[index] = data;
}

type InstanceChange = Pick<ClusterChange, "removed" | "added" | "changed">;

/** Whether instances change. */
export const hasInstances = ({ removed, added, changed }: InstanceChange): boolean =>
  (removed?.length ?? 0) + (added?.length ?? 0) + (changed?.length ?? 0) > 0;

/** Makes a column by instance, in place, that of a later state. */
export function splice<T>(
  column: T[],
  { removed = [], added = [], changed = [] }: InstanceChange,
  value: (one: At<InstanceData>) => T,
): void {
  for (const index of descending(removed)) column.splice(index, 1);
  for (const one of ascending(added)) column.splice(one.index, 0, value(one));
  for (const one of changed) column[one.index] = value(one);
}

/** The change that leads back. */
export function oppositeChange(data: ClusterData, change: ClusterChange): ClusterChange {
  const { removed = [], added = [], changed = [], nodes = [], groups = [] } = change;
  const earlier = positionsBefore(change);
  const at = <T>(list: readonly T[], index: number): At<T> => ({ index, data: list[index] as T });
  return {
    removed: added.map(({ index }) => index),
    added: removed.map((index) => at(data.instances, index)),
    changed: changed.map(({ index }) => at(data.instances, earlier(index))),
    nodes: nodes.map(({ index }) => at(data.nodes, index)),
    groups: groups.map(({ index }) => at(data.groups, index)),
  };
}

/** The position before a change, of an instance that stays. */
export function positionsBefore({
  removed = [],
  added = [],
}: ClusterChange): (index: number) => number {
  const gone = removed.toSorted((a, b) => a - b);
  const come = added.map(({ index }) => index).sort((a, b) => a - b);
  return (index) => {
    let at = index - come.filter((other) => other < index).length;
    for (const other of gone) if (other <= at) at++;
    return at;
  };
}

/** A column of bytes by instance after a change. */
export function splicedBytes(
  column: Uint8Array,
  change: InstanceChange,
  value: (one: At<InstanceData>) => number,
): Uint8Array {
  if (!hasInstances(change)) return column;
  const { removed = [], added = [], changed = [] } = change;
  const after = new Uint8Array(column.length + added.length);
  after.set(column);
  let { length } = column;
  for (const index of descending(removed)) after.copyWithin(index, index + 1, length--);
  for (const one of ascending(added)) {
    after.copyWithin(one.index + 1, one.index, length++);
    after[one.index] = value(one);
  }
  for (const one of changed) after[one.index] = value(one);
  return after.slice(0, length);
}

const descending = (indices: readonly number[]) => indices.toSorted((a, b) => b - a);
const ascending = (list: readonly At<InstanceData>[]) => list.toSorted((a, b) => a.index - b.index);
