/** Data source of a new instance's disks: an export, another cluster, or none. */
import type { NodeUuid } from "@ganeti-ts/protocol";
import type { HookVariables } from "../../../hooks/hooks.js";
import type { UnitContext } from "../../../unit/unit.js";
import { nodeName } from "../../state.js";
import type { Making } from "../making.js";
import type { CreateRequest } from "../request.js";
import { checkedOtherCluster, fillFromCluster } from "./from-cluster.js";
import { dumpsOf, fillFromExport, foundExport, withExportDefaults } from "./from-export.js";

export interface InstanceSource {
  /** The request, completed with the source's description of the instance. */
  readonly request: CreateRequest;
  /** Absent for an instance whose operating system is installed. */
  readonly fill?: NonNullable<Making["fill"]>;
  /** The node with the export. */
  readonly node?: NodeUuid;
  /** Hook variables about the source. */
  readonly variables?: HookVariables;
}

/** @throws PrereqError, OperationError */
export async function sourceOf(
  context: UnitContext,
  request: CreateRequest,
): Promise<InstanceSource> {
  const { op } = request;
  switch (op.mode) {
    case "import": {
      const source = await foundExport(context, request);
      const completed = withExportDefaults(request, source.description);
      return {
        request: completed,
        node: source.node,
        variables: {
          SRC_NODE: nodeName(context.now, source.node),
          SRC_PATH: source.path,
          SRC_IMAGES: dumpsOf(source, completed.disks.length).map((path) => path ?? false),
        },
        fill: (instance) => fillFromExport(context, instance, source, op.compress),
      };
    }
    case "remote-import": {
      const other = await checkedOtherCluster(context, op);
      return { request, fill: (instance) => fillFromCluster(context, instance, other, op) };
    }
    default:
      return { request };
  }
}
