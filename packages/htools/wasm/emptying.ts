/**
 * Verdicts on emptying each node by counting, if all its primaries are mirrored: `verdict` of
 * `../src/n1/emptying-count.ts` for a cluster as loaded.
 */

import {
  disk,
  diskFree,
  exclusive,
  memory,
  memoryUnallocated,
  offline,
  primaries,
  primariesEnd,
  rowSize,
  rows,
  secondary,
  status,
  template,
} from "./cluster-layout";
import { isAmong, setValue, value } from "./columns";

const notCounted: i32 = 0;
const empties: i32 = 1;
const stuck: i32 = 2;

/**
 * Writes a verdict for each node to `verdicts`.
 * @param arriving scratch, a row for each node, all 0: the memory that arrives from the emptied node
 */
export function countEmptying(
  nodes: i32,
  mirrored: u32,
  running: u32,
  memoryMargin: f64,
  diskMargin: f64,
  verdicts: usize,
  arriving: usize,
): void {
  let begin = 0;
  for (let node = 0; node < nodes; node++) {
    const end = value(primariesEnd, node);
    let verdict = judge(node, begin, end, mirrored, running, diskMargin, arriving);
    for (let at = begin; at < end; at++) {
      const to = value(secondary, value(primaries, at));
      if (to < 0) continue;
      const left = cell(to, memoryUnallocated) - <f64>value(arriving, to) - memoryMargin;
      if (verdict === empties && left <= 0) verdict = stuck;
    }
    for (let at = begin; at < end; at++) {
      const to = value(secondary, value(primaries, at));
      if (to >= 0) setValue(arriving, to, 0);
    }
    setValue(verdicts, node, verdict);
    begin = end;
  }
}

/** Checks everything but memory, for which it adds up the arriving amounts. */
function judge(
  node: i32,
  begin: i32,
  end: i32,
  mirrored: u32,
  running: u32,
  diskMargin: f64,
  arriving: usize,
): i32 {
  if (begin === end || value(exclusive, node) !== 0) return notCounted;
  let verdict = empties;
  if (value(offline, node) === 0 && cell(node, diskFree) - diskMargin <= 0) verdict = stuck;
  for (let at = begin; at < end; at++) {
    const instance = value(primaries, at);
    const to = value(secondary, instance);
    const needed = isAmong(running, status, instance) ? value(memory, instance) : 0;
    // Other cases are decided in JavaScript.
    if (to < 0 || needed < 0 || !isAmong(mirrored, template, instance)) return notCounted;
    if (value(exclusive, to) !== 0 || value(disk, instance) < 0) return notCounted;
    if (cell(to, diskFree) - diskMargin <= 0) verdict = stuck;
    setValue(arriving, to, value(arriving, to) + needed);
  }
  return verdict;
}

function cell(node: i32, field: usize): f64 {
  return load<f64>(rows + rowSize * <usize>node + field);
}
