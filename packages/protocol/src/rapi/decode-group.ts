/** Decoder for a node group in the RAPI's lists. */
import { allocationPolicies, type GroupData } from "../cluster-data.js";
import { decodePolicy } from "../iallocator/decode-group.js";
import type { RecordReader } from "../json/record-reader.js";

/** Keys are read in Ganeti's order, which decides the reported error if there are several. */
export function decodeRapiGroup(record: (owner: string) => RecordReader): GroupData {
  const name = record("Parsing new group: ").string("name");
  const group = record(`Group '${name}': `);
  return {
    name,
    uuid: group.string("uuid"),
    allocationPolicy: group.choice("alloc_policy", "AllocPolicy", allocationPolicies),
    policy: decodePolicy(group, "ipolicy"),
    tags: group.strings("tags"),
    networks: [],
  };
}
