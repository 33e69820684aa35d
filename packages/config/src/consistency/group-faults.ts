/** Consistency checks of a node group. */
import { type GroupObject, isUuid, type Json } from "@ganeti-ts/protocol";
import { filledGroupNdparams } from "../filling.js";
import { policyFault } from "../policy-faults.js";
import type { Snapshot } from "../snapshot.js";
import { ndparamsFault } from "./parameter-faults.js";
import { nameFaults } from "./uniqueness.js";

export function groupFaults(now: Snapshot, group: GroupObject): readonly string[] {
  const { name, uuid } = group;
  const owner = `group ${name}`;
  const policy = policyFault(group.ipolicy as unknown as Json, false);
  return [
    ...(isUuid(name.toLowerCase())
      ? [`node group '${name}' (uuid: '${uuid}') has uuid-like name`]
      : []),
    ...nameFaults(now, "group", group),
    ...(policy === undefined ? [] : [`${owner} has invalid instance policy: ${policy}`]),
    ...[ndparamsFault(owner, filledGroupNdparams(now, group))].filter((one) => one !== undefined),
  ];
}
