/** OP_NODE_QUERYVOLS: lists the logical volumes of nodes, with their instances. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeVolume } from "@ganeti-ts/node-calls";
import { compareCodePoints, type Json, type NodeUuid } from "@ganeti-ts/protocol";
import { ask } from "../unit/calls.js";
import { warn } from "../unit/feedback.js";
import { asShared, nodeLock } from "../unit/locks.js";
import type { Unit } from "../unit/unit.js";
import { checkFields, wantedNodes } from "../unit/wanted-nodes.js";

const fields = ["node", "phys", "vg", "name", "size", "instance"] as const;

export const queryVolumes: Unit<"OP_NODE_QUERYVOLS"> = {
  opcode: "OP_NODE_QUERYVOLS",

  locks: ({ nodes }, now) => asShared(...wantedNodes(now, nodes).map(({ uuid }) => nodeLock(uuid))),

  async run(op, world) {
    const now = world.config.snapshot;
    checkFields(op.output_fields, fields);
    const owners = ownersOfVolumes(now);
    const rows = wantedNodes(now, op.nodes).map(async ({ uuid, name }): Promise<Json[]> => {
      const answer = await ask(world, uuid, "node_volumes", {});
      if (!answer.ok) {
        if (!answer.offline) {
          warn(world, `Can't compute volume data on node ${name}: ${answer.message}`);
        }
        return [];
      }
      const volumes = [...answer.value].sort((a, b) =>
        compareCodePoints(a.physicalVolume, b.physicalVolume),
      );
      return volumes.map((volume) => {
        const values = valuesOf(volume, name, owners.get(keyOf(uuid, volume)));
        return op.output_fields.map((field) => values[field] ?? "");
      });
    });
    return (await Promise.all(rows)).flat();
  },
};

const valuesOf = (
  { physicalVolume, volumeGroup, name, sizeMib }: NodeVolume,
  node: string,
  instance = "-",
): Readonly<Record<string, string>> => ({
  node,
  phys: physicalVolume,
  vg: volumeGroup,
  name,
  instance,
  size: String(Math.trunc(sizeMib)),
});

const keyOf = (node: string, { volumeGroup, name }: Pick<NodeVolume, "volumeGroup" | "name">) =>
  `${node} ${volumeGroup}/${name}`;

/** Names of instances by node and volume. O(disks). */
function ownersOfVolumes(now: Snapshot): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const instance of now.instances()) {
    for (const disk of now.disksOf(instance)) {
      for (const part of [disk, ...disk.children]) {
        if (part.dev_type !== "plain" || part.logical_id === undefined) continue;
        const [volumeGroup, name] = part.logical_id.map(String) as [string, string];
        for (const node of nodesOf(disk.nodes, instance.primary_node)) {
          owners.set(keyOf(node, { volumeGroup, name }), instance.name ?? instance.uuid);
        }
      }
    }
  }
  return owners;
}

const nodesOf = (
  nodes: readonly NodeUuid[],
  primary: NodeUuid | undefined,
): readonly NodeUuid[] => {
  if (nodes.length > 0) return nodes;
  return primary === undefined ? [] : [primary];
};
