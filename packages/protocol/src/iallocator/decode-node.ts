/** Decoder for an entry of `nodes`. */
import type { NodeData } from "../cluster-data.js";
import type { JsonValues } from "../json/json-values.js";
import { RecordReader, wrong } from "../json/record-reader.js";

const noTags: readonly string[] = [];

/**
 * Reads a node. Memory, disks, processors and free spindles of a node that is not live (offline or not
 * vm-capable) are ignored and count as 0.
 *
 * Keys are read in Ganeti's order, which decides the reported error if there are several.
 */
export function decodeNode(
  document: JsonValues,
  name: string,
  value: number,
  groupsByUuid: ReadonlyMap<string, number>,
): NodeData {
  if (!document.isObject(value)) throw wrong("not an object");
  const node = new RecordReader(document, value, `invalid data for node '${name}': `);
  const offline = node.boolean("offline");
  const drained = node.boolean("drained");
  const groupUuid = node.string("group");
  const live = (node.optionalBoolean("vm_capable") ?? true) && !offline;
  const groupIndex = groupsByUuid.get(groupUuid);
  if (groupIndex === undefined) throw wrong(`Unknown group '${groupUuid}' for node ${name}`);

  const parametersObject = node.value("ndparams");
  if (!document.isObject(parametersObject)) throw wrong("not an object");
  const parameters = new RecordReader(document, parametersObject, node.owner);
  const tags = node.optionalValue("tags") === undefined ? noTags : node.anonymous().strings("tags");
  const exclusiveStorage = parameters.boolean("exclusive_storage");
  let spindleTotal = 0;
  if (!exclusiveStorage) spindleTotal = parameters.integer("spindle_count");
  else if (live) spindleTotal = node.integer("total_spindles");

  return {
    name,
    groupIndex,
    offline: !live || drained,
    master: false,
    spindleTotal,
    spindleFree: live ? node.integer("free_spindles") : 0,
    memoryTotalMib: live ? node.double("total_memory") : 0,
    memoryNodeMib: live ? node.integer("reserved_memory") : 0,
    memoryFreeMib: live ? node.integer("free_memory") : 0,
    diskTotalMib: live ? node.double("total_disk") : 0,
    diskFreeMib: live ? node.integer("free_disk") : 0,
    cpuTotal: live ? node.double("total_cpus") : 0,
    cpuNode: live ? node.integer("reserved_cpus") : 0,
    exclusiveStorage,
    tags,
    cpuSpeed: 1,
  };
}
