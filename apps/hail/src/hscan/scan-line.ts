/** Summary of a cluster as a line of text, and as part of a document. */
import { badItems, type Cluster, formatFixed, scoreOf } from "@ganeti-ts/htools";
import type { HscanReport } from "@ganeti-ts/protocol";

export type Scanned = HscanReport["clusters"][number];
type Scan = Extract<Scanned, { ok: true }>;

export function scanOf(name: string, file: string, cluster: Cluster): Scan {
  const { nodes, instances } = cluster.data;
  const all = [...nodes.keys()];
  const bad = badItems(cluster, all);
  const sum = (figure: (node: (typeof nodes)[number]) => number) =>
    nodes.reduce((total, node) => total + figure(node), 0);
  return {
    ok: true,
    name,
    file,
    nodes: nodes.length,
    instances: instances.length,
    badNodes: bad.nodes.length,
    badInstances: bad.instances.length,
    memory: {
      total: sum(({ memoryTotalMib }) => memoryTotalMib),
      free: sum(({ memoryFreeMib }) => memoryFreeMib),
    },
    disk: {
      total: sum(({ diskTotalMib }) => diskTotalMib),
      free: sum(({ diskFreeMib }) => diskFreeMib),
    },
    score: scoreOf(cluster, all),
  };
}

const columns: readonly (readonly [header: string, width: number, cell: (scan: Scan) => string])[] =
  [
    ["Nodes", 5, ({ nodes }) => String(nodes)],
    ["Inst", 5, ({ instances }) => String(instances)],
    ["BNode", 5, ({ badNodes }) => String(badNodes)],
    ["BInst", 5, ({ badInstances }) => String(badInstances)],
    ["t_mem", 6, ({ memory }) => formatFixed(Number(memory.total), 0)],
    ["f_mem", 6, ({ memory }) => String(memory.free)],
    ["t_disk", 6, ({ disk }) => formatFixed(Number(disk.total) / 1024, 0)],
    ["f_disk", 6, ({ disk }) => String(Math.floor(disk.free / 1024))],
    ["Score", 10, ({ score }) => formatFixed(Number(score), 8)],
  ];

/** @param nameWidth length of the longest name, in characters */
export const headerLine = (nameWidth: number): string =>
  line(
    "Name",
    nameWidth,
    columns.map(([header, width]) => header.padStart(width)),
  );

export const scanLine = (scan: Scan, nameWidth: number): string =>
  line(
    scan.name,
    nameWidth,
    // The score is the last column, so its width does not matter.
    columns.map(([header, width, cell]) =>
      header === "Score" ? cell(scan) : cell(scan).padStart(width),
    ),
  );

function line(name: string, width: number, cells: readonly string[]): string {
  const padding = " ".repeat(Math.max(0, width - [...name].length));
  return `${name}${padding} ${cells.join(" ")}\n`;
}
