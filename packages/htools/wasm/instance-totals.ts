/**
 * Totals of instances on their nodes: `countInstances` of `../src/model/instance-counting.ts` for all
 * instances of a cluster without forthcoming instances and without tags that matter.
 */

import {
  disk,
  diskHeld,
  exclusive,
  group,
  layOut,
  memory,
  memoryIdle,
  memoryUsed,
  movable,
  peerMemory,
  peerNodes,
  peerOf,
  peersEnd,
  primaries,
  primariesEnd,
  primary,
  primaryCount,
  secondaries,
  secondariesEnd,
  secondary,
  secondaryCount,
  spindlesUsed,
  spindleUse,
  status,
  template,
  vcpus,
  vcpusUsed,
} from "./cluster-layout";
import { isAmong, setValue, value } from "./columns";

/** The sum of two values up to this fits into 32 bits. */
const sumMax: i32 = 1 << 30;
let tooLarge = false;

/**
 * @param at start of the columns
 * @param local mask of the templates with local disks
 * @param moving mask of the templates that balancing moves
 * @param running mask of the statuses that use memory
 * @param present mask of the statuses that count at all
 * @returns whether all sums are small enough to be exact
 */
export function countInstances(
  at: usize,
  nodes: i32,
  instances: i32,
  local: u32,
  moving: u32,
  running: u32,
  present: u32,
): bool {
  tooLarge = false;
  layOut(at, nodes, instances);
  for (let i = 0; i < instances; i++) {
    const first = value(primary, i);
    const second = value(secondary, i);
    const isLocal = isAmong(local, template, i);
    // An instance with one node in both roles counts only as a secondary.
    if (first !== second) {
      add(isAmong(running, status, i) ? memoryUsed : memoryIdle, first, value(memory, i));
      if (isAmong(present, status, i)) add(vcpusUsed, first, value(vcpus, i));
      add(primaryCount, first, 1);
      countStorage(first, i, isLocal);
    }
    if (second >= 0) {
      add(secondaryCount, second, 1);
      countStorage(second, i, isLocal);
    }
    const together = second < 0 || value(group, first) === value(group, second);
    setValue(movable, i, together && isAmong(moving, template, i) ? 1 : 0);
  }
  listInstances(nodes, instances);
  listPeers(nodes, present);
  return !tooLarge;
}

function countStorage(node: i32, instance: i32, isLocal: bool): void {
  add(diskHeld, node, value(disk, instance));
  if (isLocal && value(exclusive, node) === 0) add(spindlesUsed, node, value(spindleUse, instance));
}

function add(column: usize, row: i32, amount: i32): void {
  const sum = value(column, row) + amount;
  setValue(column, row, sum);
  if (sum > sumMax || sum < -sumMax) tooLarge = true;
}

function listInstances(nodes: i32, instances: i32): void {
  // Each end starts as the begin of the list, and grows with it.
  let primariesSoFar = 0;
  let secondariesSoFar = 0;
  for (let node = 0; node < nodes; node++) {
    setValue(primariesEnd, node, primariesSoFar);
    setValue(secondariesEnd, node, secondariesSoFar);
    primariesSoFar += value(primaryCount, node);
    secondariesSoFar += value(secondaryCount, node);
  }
  for (let i = instances - 1; i >= 0; i--) {
    const first = value(primary, i);
    const second = value(secondary, i);
    if (first !== second) append(primaries, primariesEnd, first, i);
    if (second >= 0) append(secondaries, secondariesEnd, second, i);
  }
}

function append(lists: usize, ends: usize, node: i32, instance: i32): void {
  const end = value(ends, node);
  setValue(lists, end, instance);
  setValue(ends, node, end + 1);
}

function listPeers(nodes: i32, present: u32): void {
  let end = 0;
  let at = 0;
  for (let node = 0; node < nodes; node++) {
    const begin = end;
    for (const last = value(secondariesEnd, node); at < last; at++) {
      const instance = value(secondaries, at);
      const peer = value(primary, instance);
      const mib = isAmong(present, status, instance) ? value(memory, instance) : 0;
      const known = value(peerOf, peer) - 1;
      if (known >= begin) {
        add(peerMemory, known, mib);
      } else {
        setValue(peerNodes, end, peer);
        setValue(peerMemory, end, mib);
        setValue(peerOf, peer, ++end);
      }
    }
    sortPeers(begin, end);
    setValue(peersEnd, node, end);
  }
}

/** A stable insertion sort: a node has few peers. */
function sortPeers(begin: i32, end: i32): void {
  for (let i = begin + 1; i < end; i++) {
    const node = value(peerNodes, i);
    const mib = value(peerMemory, i);
    let at = i;
    for (; at > begin && value(peerMemory, at - 1) < mib; at--) {
      setValue(peerNodes, at, value(peerNodes, at - 1));
      setValue(peerMemory, at, value(peerMemory, at - 1));
    }
    setValue(peerNodes, at, node);
    setValue(peerMemory, at, mib);
  }
}
