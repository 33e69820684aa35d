/** Reads a node's line of the text format. */
import type { NodeData } from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";
import { readFloat, readInteger } from "./number-reader.js";
import { columnsOf, readFlag, readList } from "./text-reader-columns.js";

export function readNode(line: string, groupsByUuid: ReadonlyMap<string, number>): NodeData {
  const columns = columnsOf(line, 9, "Invalid/incomplete node data");
  const [name, memoryTotal, memoryNode, memoryFree, diskTotal, diskFree, cpuTotal, role, group] =
    columns;
  const [, , , , , , , , , spindles = "1", tags = "", exclusive = "N", spindlesFree = "0"] =
    columns;
  const [cpuNode = "1", cpuSpeed = "1"] = columns.slice(13);

  const groupIndex = groupsByUuid.get(group);
  if (groupIndex === undefined) throw new DataError(`Unknown group '${group}' for node ${name}`);
  if (columns.slice(1, 7).includes("?")) return { ...unknownNode, name, groupIndex };
  // The order of reading decides which of several errors is reported.
  return {
    name,
    groupIndex,
    offline: role === "Y",
    master: role === "M",
    memoryTotalMib: readFloat(memoryTotal, name),
    memoryNodeMib: readInteger(memoryNode, name),
    memoryFreeMib: readInteger(memoryFree, name),
    diskTotalMib: readFloat(diskTotal, name),
    diskFreeMib: readInteger(diskFree, name),
    cpuTotal: readFloat(cpuTotal, name),
    cpuNode: readInteger(cpuNode, name),
    spindleTotal: readInteger(spindles, name),
    cpuSpeed: readFloat(cpuSpeed, name),
    spindleFree: readInteger(spindlesFree, name),
    exclusiveStorage: readFlag(
      exclusive,
      () => `exclusive_storage value for node '${name}': ${exclusive}`,
    ),
    tags: readList(tags),
  };
}

/** A node with unknown resources (`?`) counts as offline and empty. */
const unknownNode = {
  offline: true,
  master: false,
  memoryTotalMib: 0,
  memoryNodeMib: 0,
  memoryFreeMib: 0,
  diskTotalMib: 0,
  diskFreeMib: 0,
  cpuTotal: 0,
  cpuNode: 0,
  spindleTotal: 0,
  cpuSpeed: 1,
  spindleFree: 0,
  exclusiveStorage: false,
  tags: [],
} as const;
