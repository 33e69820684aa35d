/** Network between instances and their cluster, created and connected by jobs. */
import type { Snapshot } from "@ganeti-ts/config";
import type { Json, JsonObject, OpcodeOf } from "@ganeti-ts/protocol";
import { resultWithJobs, type UnitContext } from "../unit/unit.js";

type Op = OpcodeOf<"OP_CLUSTER_SET_PARAMS">;

/** Settings of the network if it has to be created. */
const usual = {
  network: "169.254.0.0/16",
  network6: "fe80::/10",
  mac_prefix: "52:54:00",
} as const;

const isChanged = ({ instance_communication_network: name }: Op, { cluster }: Snapshot): boolean =>
  name !== undefined && name !== cluster.instance_communication_network;

export function tellOfCommunication(context: UnitContext, op: Op): void {
  const { now } = context;
  const name = op.instance_communication_network;
  if (name === undefined) return;
  if (!isChanged(op, now)) {
    context.log(`Instance communication network already is '${name}', nothing to do.`);
    return;
  }
  const previous = now.cluster.instance_communication_network;
  if (previous !== "" && now.findNetwork(previous) !== undefined) {
    context.log(
      `Previous instance communication network '${previous}' should be removed manually.`,
    );
  }
  context.log(
    name === ""
      ? "Disabling instance communication network, only new instances will be affected."
      : `Changing instance communication network to '${name}', only new instances will be affected.`,
  );
}

/**
 * One job that creates the network and connects every group that is not connected; null if there is
 * nothing to do.
 */
export async function communicationJobs(context: UnitContext, op: Op): Promise<Json> {
  const { now } = context;
  const name = op.instance_communication_network;
  if (!name || !isChanged(op, now)) return null;
  const network = now.findNetwork(name);
  const add: JsonObject[] =
    network === undefined
      ? [
          {
            OP_ID: "OP_NETWORK_ADD",
            network_name: name,
            conflicts_check: false,
            tags: [],
            ...usual,
          },
        ]
      : [];
  const connect = Array.from(now.groups())
    .filter(({ networks }) => network === undefined || networks[network.uuid] === undefined)
    .map((group): JsonObject => connection(group.uuid, name));
  const job = [...add, ...connect];
  return job.length === 0 ? null : resultWithJobs(context, [job]);
}

/** Opcode that connects a group to the network. */
export const connection = (group: string, network: string): JsonObject => ({
  OP_ID: "OP_NETWORK_CONNECT",
  group_name: group,
  network_name: network,
  network_mode: "routed",
  network_link: "communication_rt",
  conflicts_check: true,
});
