/** Helpers common to the sources of a cluster: resolution of names, and its errors. */
import type { DiskData, NodeData } from "../cluster-data.js";
import { wrong } from "../json/record-reader.js";

/** Positions by name; if a name repeats, the last one counts. */
export function positions<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
): ReadonlyMap<string, number> {
  return new Map(things.map((thing, index) => [nameOf(thing), index]));
}

/** Index of the group that a node of the remote API names. @throws MessageError for an unknown group */
export function groupOfNode(
  uuid: string,
  node: string,
  groupsByUuid: ReadonlyMap<string, number>,
): number {
  const index = groupsByUuid.get(uuid);
  if (index === undefined) throw wrong(`Unknown group '${uuid}' for node ${node}`);
  return index;
}

/** Index of a node that an instance of the remote API names. @throws MessageError for an unknown node */
export function nodeOfInstance(
  node: string,
  instance: string,
  nodesByName: ReadonlyMap<string, number>,
): number {
  const index = nodesByName.get(node);
  if (index === undefined) throw wrong(`Unknown node '${node}' for instance ${instance}`);
  return index;
}

/** The nodes, with the master marked. */
export function masterMarked(
  nodes: readonly NodeData[],
  nodesByName: ReadonlyMap<string, number>,
  master: string,
): NodeData[] {
  const position = nodesByName.get(master);
  if (position === undefined) throw wrong(`Master node ${master} unknown`);
  return nodes.map((node, index) => (index === position ? { ...node, master: true } : node));
}

/** Disks of these sizes, in MiB; surplus entries of the longer list are ignored. */
export function disksOf(
  sizes: readonly number[],
  spindles: readonly (number | undefined)[],
): DiskData[] {
  const count = Math.min(sizes.length, spindles.length);
  return sizes.slice(0, count).map((sizeMib, index) => ({ sizeMib, spindles: spindles[index] }));
}
