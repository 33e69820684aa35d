/** Totals of the instances on each node, counted by the kernel from columns of instances. */
import {
  type ClusterData,
  diskTemplates,
  type InstanceColumns,
  type InstanceStatus,
  instanceStatuses,
  isMirrored,
} from "@ganeti-ts/protocol";
import { isBalanced, usesLocalStorage } from "./disk-template.js";
import { type IndexList, storedList } from "./index-list.js";
import { usesMemoryAs } from "./instance.js";
import { makeKernel } from "./kernel.js";
import { type NodeFacts, rowLength } from "./node-columns.js";
import type { Peer, PeerMap } from "./peer-map.js";

/** Totals by node index unless stated otherwise; memory and disk in MiB. */
export interface InstanceTotals {
  readonly memoryUsed: Int32Array;
  /** Memory of primaries that are not running. */
  readonly memoryIdle: Int32Array;
  /** Disk used by all instances that the node lists. */
  readonly diskHeld: Int32Array;
  readonly vcpusUsed: Int32Array;
  readonly spindlesUsed: Int32Array;
  readonly primaryCount: Int32Array;
  readonly secondaryCount: Int32Array;
  /** By instance: 1 for those that balancing may move. */
  readonly movable: Uint8Array;
  primariesOf(node: number): IndexList | undefined;
  secondariesOf(node: number): IndexList | undefined;
  peersOf(node: number): PeerMap;
  /**
   * Result of counting for emptying each node in the state as loaded: a position in `countedVerdicts`. Cost:
   * O(nodes + instances).
   * @param margins subtracted from every other node
   */
  emptying(facts: NodeFacts, rows: Float64Array, margins: Margins): Int32Array;
}

interface Margins {
  readonly memoryMib: number;
  readonly diskMib: number;
}

/** Undefined: counting does not decide. */
export const countedVerdicts = [undefined, "empties", "stuck"] as const;

/**
 * Undefined if sums would be too large, and without WebAssembly. Cost: O(nodes + instances).
 * @param columns of the instances, which must not have tags that matter
 */
export function countInstanceTotals(
  data: ClusterData,
  columns: InstanceColumns,
): InstanceTotals | undefined {
  const kernel = makeKernel();
  if (kernel === undefined) return undefined;
  const [n, m] = [data.nodes.length, columns.primary.length];
  const begin = kernel.reserve(4 * (16 * n + 13 * m) + 8 + 8 * rowLength * n);
  if (begin === 0) return undefined;

  const layout = layOut(kernel.memory.buffer, begin, n, m);
  const { totals, rows, offline, verdicts, arriving } = layout;
  const { primariesEnd, secondariesEnd, peersEnd } = layout;
  const { primaries, secondaries, peerNodes, peerMemory, movable } = layout;
  enterInput(layout, data, columns);
  const running = maskOf(instanceStatuses, usesMemoryAs);
  const sumsAreRight = kernel.countInstances(
    begin,
    n,
    m,
    maskOf(diskTemplates, usesLocalStorage),
    maskOf(diskTemplates, isBalanced),
    running,
    maskOf(instanceStatuses, (status) => status !== ("ADMIN_offline" satisfies InstanceStatus)),
  );
  if (sumsAreRight === 0) return undefined;
  return {
    ...totals,
    // Not `Uint8Array.from`, which takes a hundred times as long.
    movable: new Uint8Array(movable),
    primariesOf: (node) => listOf(primaries, primariesEnd, node),
    secondariesOf: (node) => listOf(secondaries, secondariesEnd, node),
    peersOf: (node) => {
      const peers: Peer[] = [];
      const end = peersEnd[node] as number;
      for (let i = beginOf(peersEnd, node); i < end; i++) {
        peers.push({ node: peerNodes[i] as number, mib: peerMemory[i] as number });
      }
      return peers;
    },
    emptying: (facts, rowsNow, margins) => {
      offline.set(facts.offline);
      rows.set(rowsNow);
      kernel.countEmptying(
        n,
        maskOf(diskTemplates, isMirrored),
        running,
        margins.memoryMib,
        margins.diskMib,
        verdicts.byteOffset,
        arriving.byteOffset,
      );
      return verdicts.slice();
    },
  };
}

const beginOf = (ends: Int32Array, node: number) => (node === 0 ? 0 : (ends[node - 1] as number));

const listOf = (list: Int32Array, ends: Int32Array, node: number) =>
  storedList(list, beginOf(ends, node), ends[node] as number);

function enterInput(
  { instances, groups, exclusive }: ReturnType<typeof layOut>,
  { nodes }: ClusterData,
  columns: InstanceColumns,
): void {
  for (const [column, values] of Object.entries(instances)) {
    values.set(columns[column as keyof typeof instances]);
  }
  groups.set(nodes.map(({ groupIndex }) => groupIndex));
  exclusive.set(nodes.map(({ exclusiveStorage }) => Number(exclusiveStorage)));
}

/** Columns in the kernel's memory, in the order of `layOut` in `wasm/cluster-layout.ts`; `n` nodes, `m` instances. */
function layOut(buffer: ArrayBuffer, begin: number, n: number, m: number) {
  let at = begin;
  const next = (rows: number): Int32Array => {
    const column = new Int32Array(buffer, at, rows);
    at += 4 * rows;
    return column;
  };
  const instances = {
    memoryMib: next(m),
    diskMib: next(m),
    vcpus: next(m),
    spindleUse: next(m),
    diskTemplate: next(m),
    status: next(m),
    primary: next(m),
    secondary: next(m),
  };
  const [groups, exclusive] = [next(n), next(n)];
  const totals = {
    memoryUsed: next(n),
    memoryIdle: next(n),
    diskHeld: next(n),
    vcpusUsed: next(n),
    spindlesUsed: next(n),
    primaryCount: next(n),
    secondaryCount: next(n),
  };
  const [primariesEnd, secondariesEnd, peersEnd] = [next(n), next(n), next(n)];
  const lists = {
    primaries: next(m),
    secondaries: next(m),
    peerNodes: next(m),
    peerMemory: next(m),
  };
  const movable = next(m);
  next(n);
  const offline = next(n);
  at = (at + 7) & ~7;
  const rows = new Float64Array(buffer, at, n * rowLength);
  at += rows.byteLength;
  const [verdicts, arriving] = [next(n), next(n)];
  const ends = { primariesEnd, secondariesEnd, peersEnd };
  const emptying = { offline, rows, verdicts, arriving };
  return { instances, groups, exclusive, totals, ...ends, ...lists, movable, ...emptying };
}

/** Mask with a bit for each position of the list at which `isMeant` is true. */
function maskOf<T>(list: readonly T[], isMeant: (one: T) => boolean): number {
  return list.reduce((mask, one, at) => (isMeant(one) ? mask | (1 << at) : mask), 0);
}
