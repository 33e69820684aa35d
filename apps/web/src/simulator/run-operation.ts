/** readSource, runOperation: dispatch of sources and operations by kind, without page or worker. */
import { DataError, readClusterText, simulateCluster } from "@ganeti-ts/htools";
import { type ClusterData, decodeRapiCluster, MessageError } from "@ganeti-ts/protocol";
import type { Operation, Source } from "./operations.js";
import {
  addInstances,
  balanceGroup,
  type Done,
  evacuateNode,
  OperationFault,
  type Pace,
} from "./placing.js";
import { addNodes, capacity, reboots, setLimits, setOffline } from "./planning.js";

/** Reads a cluster. @throws OperationFault with the place and value of the first fault */
export function readSource(source: Source): ClusterData {
  try {
    switch (source.kind) {
      case "text":
        return withNodes(readClusterText(source.text));
      case "rapi":
        return withNodes(decodeRapiCluster(source.bodies as never));
      case "empty":
        return withNodes(simulateCluster(source.specifications));
    }
  } catch (error) {
    if (error instanceof DataError || error instanceof MessageError) {
      throw new OperationFault(error.message);
    }
    throw error;
  }
}

function withNodes(data: ClusterData): ClusterData {
  if (data.nodes.length === 0) throw new OperationFault("the cluster has no nodes");
  return data;
}

/** Carries out one operation; `data` stays as it is. @throws OperationFault */
export async function runOperation(
  data: ClusterData,
  operation: Operation,
  pace: Pace,
): Promise<Done> {
  switch (operation.kind) {
    case "add-nodes":
      return addNodes(data, operation.like, operation.count);
    case "set-offline":
      return setOffline(data, operation.node, operation.offline);
    case "add-instances":
      return await addInstances(data, operation, pace);
    case "balance":
      return await balanceGroup(data, operation.group, operation.evacuationMode, pace);
    case "evacuate":
      return evacuateNode(data, operation.node);
    case "capacity":
      return await capacity(data, operation.diskTemplate, pace);
    case "reboots":
      return { data, report: reboots(data, operation.fullEvacuation) };
    case "limits":
      return setLimits(data, operation);
  }
}
