/** Consistency checks of a node. */
import type { NodeObject } from "@ganeti-ts/protocol";
import { filledNdparams, globalNdparams } from "../filling.js";
import type { Snapshot } from "../snapshot.js";
import { ndparamsFault } from "./parameter-faults.js";
import { addressFaults, nameFaults } from "./uniqueness.js";

export function nodeFaults(now: Snapshot, node: NodeObject): readonly string[] {
  const { name, master_candidate, drained, offline } = node;
  const faults: string[] = [];
  if ([master_candidate, drained, offline].filter((flag) => flag).length > 1) {
    const flags = [master_candidate, drained, offline].map((flag) => (flag ? "True" : "False"));
    faults.push(
      `Node ${name} state is invalid: master_candidate=${flags[0]}, drain=${flags[1]}, offline=${flags[2]}`,
    );
  }
  if (now.group(node.group) === undefined) {
    faults.push(`Node '${name}' has invalid group '${node.group}'`);
  } else {
    const fault = ndparamsFault(`node ${name}`, filledNdparams(now, node));
    if (fault !== undefined) faults.push(fault);
  }
  const globals = globalNdparams.filter((key) => node.ndparams[key] !== undefined);
  if (globals.length > 0) {
    faults.push(`Node '${name}' has some global parameters set: ${globals.join(", ")}`);
  }
  const addresses = new Set([node.primary_ip, node.secondary_ip]);
  return [
    ...faults,
    ...nameFaults(now, "node", node),
    ...[...addresses].flatMap((ip) => addressFaults(now, ip)),
  ];
}
