/** Layout of the columns of a cluster in memory: its instances and its nodes. */
import { column, columnsFrom } from "./columns";

// Instance columns, input.
export let memory: usize = 0;
export let disk: usize = 0;
export let vcpus: usize = 0;
export let spindleUse: usize = 0;
export let template: usize = 0;
export let status: usize = 0;
export let primary: usize = 0;
export let secondary: usize = 0;
// Node columns, input.
export let group: usize = 0;
export let exclusive: usize = 0;
// Node columns, output.
export let memoryUsed: usize = 0;
export let memoryIdle: usize = 0;
export let diskHeld: usize = 0;
export let vcpusUsed: usize = 0;
export let spindlesUsed: usize = 0;
export let primaryCount: usize = 0;
export let secondaryCount: usize = 0;
/** End of each node's entries in the lists below; they begin at the end of the previous node's. */
export let primariesEnd: usize = 0;
export let secondariesEnd: usize = 0;
export let peersEnd: usize = 0;
/** Positions of instances, by node, newest first. */
export let primaries: usize = 0;
export let secondaries: usize = 0;
/** Peers by node: other nodes, and the memory reserved for each, largest first. */
export let peerNodes: usize = 0;
export let peerMemory: usize = 0;
/** By instance: 1 for those that balancing may move. */
export let movable: usize = 0;
/** By node, scratch: 1 + position of its most recently created peer. */
export let peerOf: usize = 0;

// Node columns, input if nodes are to be emptied.
export let offline: usize = 0;
/** Rows of numbers in the layout of `field` in `../src/model/node-columns.ts`. */
export let rows: usize = 0;
export const rowSize: usize = 18 * 8;
export const memoryUnallocated: usize = 0 * 8;
export const diskFree: usize = 2 * 8;

/**
 * Lays out the columns in this order, with a row for each node or instance; output columns are 0.
 * @param at their start, divisible by 8
 */
export function layOut(at: usize, nodes: i32, instances: i32): void {
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
  offline = column(nodes);
  rows = (column(0) + 7) & ~7;
}
