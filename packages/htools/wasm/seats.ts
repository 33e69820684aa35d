/**
 * Counts instances on their nodes: `seat` of `../src/load.ts` for all instances of a cluster that has
 * neither forthcoming ones nor tags that matter.
 */
import { column, columnsFrom, isAmong, setValue, value } from "./columns";

// Of instances: given.
let memory: usize = 0;
let disk: usize = 0;
let vcpus: usize = 0;
let spindleUse: usize = 0;
let template: usize = 0;
let status: usize = 0;
let primary: usize = 0;
let secondary: usize = 0;
// Of nodes: given.
let group: usize = 0;
let exclusive: usize = 0;
// Of nodes: counted.
let memoryUsed: usize = 0;
let memoryIdle: usize = 0;
let diskHeld: usize = 0;
let vcpusUsed: usize = 0;
let spindlesUsed: usize = 0;
let primaryCount: usize = 0;
let secondaryCount: usize = 0;
/** Where in the lists below those of a node end; they begin where those of the node before end. */
let primariesEnd: usize = 0;
let secondariesEnd: usize = 0;
let peersEnd: usize = 0;
/** Positions of instances, by node, newest first. */
let primaries: usize = 0;
let secondaries: usize = 0;
/** Peers by node: other nodes, and what they reserve there, the most first. */
let peerNodes: usize = 0;
let peerMemory: usize = 0;
/** Of instances: 1 for those that balancing may move. */
let movable: usize = 0;
/** Of nodes, scratch: 1 + position of the peer that was made of it last. */
let peerOf: usize = 0;

/** The sum of two that are not larger fits into 32 bits. */
const sumMax: i32 = 1 << 30;
let tooLarge = false;

/** The columns in this order, each of a row for every node or instance; those that are counted are 0. */
function layOut(at: usize, nodes: i32, instances: i32): void {
  columnsFrom(at);
  memory = column(instances);
  disk = column(instances);
  vcpus = column(instances);
  spindleUse = column(instances);
  template = column(instances);
  status = column(instances);
  primary = column(instances);
  secondary = column(instances);
  group = column(nodes);
  exclusive = column(nodes);
  memoryUsed = column(nodes);
  memoryIdle = column(nodes);
  diskHeld = column(nodes);
  vcpusUsed = column(nodes);
  spindlesUsed = column(nodes);
  primaryCount = column(nodes);
  secondaryCount = column(nodes);
  primariesEnd = column(nodes);
  secondariesEnd = column(nodes);
  peersEnd = column(nodes);
  primaries = column(instances);
  secondaries = column(instances);
  peerNodes = column(instances);
  peerMemory = column(instances);
  movable = column(instances);
  peerOf = column(nodes);
}

/**
 * @param at where the columns are
 * @param local templates, a bit each, whose disks are on the nodes
 * @param moving templates that balancing moves
 * @param running statuses, a bit each, that take memory
 * @param present statuses that count at all
 * @returns whether all sums are small enough to be right
 */
export function countSeats(
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
    // Twice on one node, it counts there as a secondary alone.
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
  listSeats(nodes, instances);
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

function listSeats(nodes: i32, instances: i32): void {
  // The ends begin as beginnings, and grow with the lists.
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

/** Equal ones stay as they are. A node has few peers. */
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
