/**
 * OP_NODE_RENAME: renames a node, whose UUID, address and instances stay. Ganeti has no such
 * opcode.
 */

import { put, type Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { bigLock } from "@ganeti-ts/locking";
import type { NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { distributeAncillaryFiles } from "../cluster/ancillary-files.js";
import { certificateDigests, withCertificates } from "../cluster/candidates.js";
import { distributeSsconf } from "../cluster/ssconf.js";
import { ask, warn } from "../unit/effects.js";
import { asExclusive } from "../unit/locks.js";
import { namedNode } from "../unit/nodes.js";
import { wrongInput } from "../unit/refusals.js";
import { applied, areChecksAll, type Unit, type World } from "../unit/unit.js";

type Op = OpcodeOf<"OP_NODE_RENAME">;

/** Port of the node daemon. */
const daemonPort = 1811;

/** The machine of a real node has to answer to the new name already. Result: the full new name. */
export const renameNode: Unit<"OP_NODE_RENAME"> = {
  opcode: "OP_NODE_RENAME",
  hooks: {
    path: "node-rename",
    object: "NODE",
    environment: (op, now) => ({
      OP_TARGET: namedNode(now, op).name,
      NODE_NAME: namedNode(now, op).name,
      NEW_NAME: op.new_name,
    }),
    nodes: (op, now) => {
      const master = now.cluster.master_node;
      const all = [...new Set([master, namedNode(now, op).uuid])];
      return { before: all, after: all };
    },
  },

  /** Running jobs contain the node's name, so none may run meanwhile. */
  locks: () => asExclusive(bigLock),

  async run(op, world) {
    const node = namedNode(world.config.snapshot, op);
    const name = await newNameOf(world, op, node);
    if (await areChecksAll(world, op)) return name;
    const snapshot = await applied(world, (now) => {
      const object = { ...now.expectNode(node.uuid), name: name as NodeObject["name"] };
      return [put("node", object)];
    });
    await world.nodes.introduce({
      uuid: node.uuid,
      name,
      primaryIp: node.primary_ip,
      secondaryIp: node.secondary_ip,
    });
    await renewDigest(world, node, name);
    await changeHosts(world, snapshot, node, name);
    await distributeAncillaryFiles(world, [node.uuid]);
    await distributeSsconf(world);
    return name;
  },
};

/**
 * The full new name. @throws PrereqError if it is invalid, in use, or resolves to another machine
 */
async function newNameOf(world: World, op: Op, node: NodeObject): Promise<string> {
  const found = await world.resolver.resolve(op.new_name);
  const name = (found.ok ? found.name : op.new_name).toLowerCase();
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) || name.length > 255) {
    wrongInput(`Invalid hostname '${name}'`);
  }
  if (name === node.name) wrongInput(`Node ${name} has that name already`);
  const taken = world.config.snapshot.findNode(name);
  if (taken !== undefined && taken.uuid !== node.uuid) {
    throw new PrereqError(
      "already_exists",
      `Desired new name '${name}' clashes with existing node (UUID: ${taken.uuid})`,
    );
  }
  if (!found.ok) {
    warn(world, `The new name (${name}) does not resolve: ${found.reason}`);
  } else if (found.ip !== node.primary_ip && (await world.resolver.isAlive(found.ip, daemonPort))) {
    throw new PrereqError(
      "resource_not_unique",
      `The new name (${name}) resolves to ${found.ip}, where another machine answers; the node's address is ${node.primary_ip}`,
    );
  }
  return name;
}

/**
 * The certificate of a candidate may contain the node's name: the map of candidates gets the
 * present digest.
 */
async function renewDigest(world: World, node: NodeObject, name: string): Promise<void> {
  if (!node.master_candidate || node.offline) return;
  const digests = await certificateDigests(world, [
    { uuid: node.uuid, name: name as NodeObject["name"] },
  ]);
  if (digests.size === 0) return;
  await applied(world, ({ cluster }) => [withCertificates(cluster, digests)]);
}

/** Updates the master's hosts file. A failure is logged, and the node keeps its new name. */
async function changeHosts(
  world: World,
  { cluster }: Snapshot,
  node: NodeObject,
  name: string,
): Promise<void> {
  if (!cluster.modify_etc_hosts) return;
  for (const change of [
    { action: "remove", host: node.name, ip: null } as const,
    { action: "add", host: name, ip: node.primary_ip } as const,
  ]) {
    const answer = await ask(world, cluster.master_node, "etc_hosts_modify", change);
    if (!answer.ok) {
      warn(world, `Can't update hosts file with new host data: ${answer.message}`);
    }
  }
}
