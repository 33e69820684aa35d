/** runningInstances: where instances run, from their reported or intended state. */
import { filledBeparams, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import type { InstanceUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import type { Figures, InstanceState } from "./origin.js";

export interface RunningInstance {
  readonly node: NodeUuid;
  readonly memoryMib: number;
  readonly vcpus: number;
}

/** Without a reported state an instance runs if its administrator wants it and its primary node is online. */
export function runningInstances(
  now: Snapshot,
  instances: readonly RealInstance[],
  states: Figures["instances"] | undefined,
): ReadonlyMap<InstanceUuid, RunningInstance> {
  const running = new Map<InstanceUuid, RunningInstance>();
  for (const instance of instances) {
    const state = states?.get(instance.name) ?? wantedState(now, instance);
    const node = placeOf(now, instance, state);
    if (node === undefined) continue;
    running.set(instance.uuid, { node, memoryMib: state.memoryMib, vcpus: state.vcpus });
  }
  return running;
}

function wantedState(now: Snapshot, instance: RealInstance): InstanceState {
  const { maxmem, vcpus } = filledBeparams(now, instance);
  const isOn = instance.admin_state === "up" && !now.node(instance.primary_node)?.offline;
  return { status: isOn ? "running" : "ADMIN_down", memoryMib: maxmem, vcpus };
}

function placeOf(
  now: Snapshot,
  instance: RealInstance,
  { status }: InstanceState,
): NodeUuid | undefined {
  switch (status) {
    case "running":
    case "ERROR_up":
      return instance.primary_node;
    case "ERROR_wrongnode":
      return [
        ...secondaryNodes(now, instance),
        ...Array.from(now.nodes(), ({ uuid }) => uuid),
      ].find((uuid) => uuid !== instance.primary_node && isAsked(now, uuid));
    default:
      return undefined;
  }
}

/** Queries look for instances only on nodes that are the primary of some instance. */
const isAsked = (now: Snapshot, uuid: NodeUuid): boolean =>
  now.node(uuid)?.offline === false && now.instancesOfNode(uuid).primary.length > 0;
