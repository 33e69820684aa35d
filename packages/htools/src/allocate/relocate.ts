/**
 * Answer to the request `relocate`: a new secondary for a mirrored instance, a new primary for one on shared
 * storage.
 */
import type { AllocatorRequest } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { mirroring } from "../model/disk-template.js";
import { finished } from "../parts.js";
import { placeNames } from "./allocation.js";
import { evacuate } from "./evacuation.js";
import {
  type Done,
  failure,
  type RequestOptions,
  type Result,
  success,
} from "./request-options.js";

/** @param cluster is changed */
export function relocate(
  cluster: Cluster,
  request: Extract<AllocatorRequest, { type: "relocate" }>,
  options: RequestOptions,
): Result<Done> {
  const { instanceIndex: index, requiredNodes, relocateFrom } = request;
  if (requiredNodes !== 1) {
    return failure(`Exchange ${requiredNodes} nodes mode is not implemented`);
  }
  const { data } = cluster.instanceAt(index);
  const mirrored = mirroring(data.diskTemplate);
  if (mirrored === "none") return failure("Can't relocate non-mirrored instances");
  const role = mirrored === "internal" ? "secondary" : "primary";
  const nodeOf = mirrored === "internal" ? cluster.secondaryOf : cluster.primaryOf;
  const leaving = nodeOf[index] as number;
  if (relocateFrom.length !== 1 || relocateFrom[0] !== leaving) {
    const versus = `${leaving} versus [${relocateFrom.join(",")}]`;
    return failure(
      `Unsupported request: excluded nodes not equal to instance's ${role}(${versus})`,
    );
  }
  const { failed } = finished(evacuate(cluster, [index], `${role}-only`, options));
  const [refused] = failed;
  if (refused !== undefined) return failure(refused.reason);
  const arrived = { primary: nodeOf[index] as number, secondary: -1 };
  return success({ info: "success", result: placeNames(cluster, arrived), after: cluster });
}
