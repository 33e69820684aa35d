/** OP_GROUP_ASSIGN_NODES: moves nodes to another group, unless that splits mirrors. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { put, type Snapshot, secondaryNodes } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { GroupUuid, NodeUuid, OpcodeOf } from "@ganeti-ts/protocol";
import { compareNaturally } from "@ganeti-ts/protocol";
import { warn } from "../unit/effects.js";
import { asExclusive, groupLock, nodeLock } from "../unit/locks.js";
import { changeConfig, type Unit } from "../unit/unit.js";

type Op = OpcodeOf<"OP_GROUP_ASSIGN_NODES">;

export const assignNodes: Unit<"OP_GROUP_ASSIGN_NODES"> = {
  opcode: "OP_GROUP_ASSIGN_NODES",

  locks(op, now) {
    const group = now.expectGroup(op.group_name);
    const nodes = wantedNodes(op, now);
    const groups = new Set([group.uuid, ...nodes.map((node) => node.group)]);
    return asExclusive(
      ...Array.from(groups, groupLock),
      ...nodes.map(({ uuid }) => nodeLock(uuid)),
    );
  },

  async run(op, world) {
    const now = world.config.snapshot;
    const { uuid: group } = now.expectGroup(op.group_name);
    const nodes = wantedNodes(op, now).map(({ uuid }) => uuid);
    const { made, kept } = splits(now, new Set(nodes), group);
    if (made.length > 0 && !op.force) {
      throw new ExecError(
        "The following instances get split by this change and --force was not given:" +
          ` ${made.join(", ")}`,
      );
    }
    if (made.length > 0) {
      warn(world, `This operation will split the following instances: ${made.join(", ")}`);
      if (kept.length > 0) {
        warn(
          world,
          "In addition, these already-split instances continue to be split across groups:" +
            ` ${kept.join(", ")}`,
        );
      }
    }
    return changeConfig(world, op, (latest) => ({
      changes: nodes.map((uuid) => {
        const object = { ...latest.expectNode(uuid), group: latest.expectGroup(group).uuid };
        return put("node", object);
      }),
      value: null,
    }));
  },
};

/** All nodes if none is named. */
const wantedNodes = (op: Op, now: Snapshot) =>
  op.nodes.length === 0 ? [...now.nodes()] : op.nodes.map((name) => now.expectNode(name));

/**
 * Mirrored instances that the move splits across groups: those that are not split now, and those
 * that already are. O(instances on the nodes that move).
 */
function splits(now: Snapshot, moved: ReadonlySet<NodeUuid>, group: GroupUuid) {
  const made = new Set<string>();
  const kept = new Set<string>();
  const groupOf = (uuid: NodeUuid) => now.node(uuid)?.group;
  for (const uuid of moved) {
    const { primary, secondary } = now.instancesOfNode(uuid);
    for (const instance of [...primary, ...secondary]) {
      if (instance.primary_node === undefined) continue;
      const nodes = [instance.primary_node, ...secondaryNodes(now, instance)];
      const isSplit = new Set(nodes.map(groupOf)).size > 1;
      const willBe = new Set(nodes.map((node) => (moved.has(node) ? group : groupOf(node))));
      if (willBe.size > 1) (isSplit ? kept : made).add(instanceLabel(instance));
    }
  }
  return {
    made: [...made].sort(compareNaturally),
    kept: [...kept].sort(compareNaturally),
  };
}
