/** Where the disks of a new instance get their data from, if from anywhere. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeUuid } from "@ganeti-ts/protocol";
import type { World } from "../../../unit.js";
import type { Making } from "../making.js";
import type { CreateRequest } from "../request.js";
import { withExportDefaults } from "./export-defaults.js";
import { checkedOtherCluster, fillFromCluster } from "./from-cluster.js";
import { fillFromExport, foundExport } from "./from-export.js";

export interface InstanceSource {
  /** With what the source says of the instance. */
  readonly request: CreateRequest;
  /** Absent for an instance that is installed. */
  readonly fill?: NonNullable<Making["fill"]>;
  /** The node that is read from. */
  readonly node?: NodeUuid;
}

/** @throws PrereqError, OperationError */
export async function sourceOf(
  world: World,
  now: Snapshot,
  request: CreateRequest,
): Promise<InstanceSource> {
  const { op } = request;
  switch (op.mode) {
    case "import": {
      const source = await foundExport(world, now, request);
      return {
        request: withExportDefaults(request, source.description),
        node: source.node,
        fill: (instance) => fillFromExport(world, instance, source, op.compress),
      };
    }
    case "remote-import": {
      const other = await checkedOtherCluster(world, op);
      return { request, fill: (instance) => fillFromCluster(world, instance, other, op) };
    }
    default:
      return { request };
  }
}
