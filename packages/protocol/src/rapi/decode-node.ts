/** Decoder for a node in the RAPI's lists. */
import type { NodeData } from "../cluster-data.js";
import { RecordReader, wrong } from "../json/record-reader.js";
import { groupOfNode } from "./decode-names.js";

/** Group of a node without one. */
const defaultGroupUuid = "00000000-0000-0000-0000-000000000000";

/**
 * Reads a node. Figures of a node that is not live (offline or not vm-capable) are ignored and count as 0.
 * Keys are read in Ganeti's order.
 */
export function decodeRapiNode(
  record: (owner: string) => RecordReader,
  groupsByUuid: ReadonlyMap<string, number>,
): NodeData {
  const name = record("Parsing new node: ").string("name");
  const node = record(`Node '${name}', error while parsing data: `);
  const { document } = node;
  const offline = node.boolean("offline");
  const drained = node.boolean("drained");
  const live = (node.optionalBoolean("vm_capable") ?? true) && !offline;
  const parametersObject = node.value("ndparams");
  if (!document.isObject(parametersObject)) throw wrong("not an object");
  const parameters = new RecordReader(document, parametersObject, node.owner);
  const exclusiveStorage = parameters.boolean("exclusive_storage");
  const groupUuid = node.optionalString("group.uuid") ?? defaultGroupUuid;
  const groupIndex = groupOfNode(groupUuid, name, groupsByUuid);
  let spindleTotal = 0;
  if (!exclusiveStorage) spindleTotal = parameters.integer("spindle_count");
  else if (live) spindleTotal = node.integer("sptotal");

  // Clusters without local storage have none of these; errors about them do not name the node.
  const storage = node.anonymous();
  return {
    name,
    groupIndex,
    offline: !live || drained,
    master: false,
    spindleTotal,
    spindleFree: live ? (storage.optionalInteger("spfree") ?? 0) : 0,
    memoryTotalMib: live ? node.double("mtotal") : 0,
    memoryNodeMib: live ? node.integer("mnode") : 0,
    memoryFreeMib: live ? node.integer("mfree") : 0,
    diskTotalMib: live ? (storage.optionalDouble("dtotal") ?? 0) : 0,
    diskFreeMib: live ? (storage.optionalInteger("dfree") ?? 0) : 0,
    cpuTotal: live ? node.double("ctotal") : 0,
    cpuNode: live ? node.integer("cnos") : 0,
    tags: node.strings("tags"),
    exclusiveStorage,
    cpuSpeed: 1,
  };
}
