// Hook scripts on all nodes of a cluster that record their environment.
import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { expect } from "vitest";
import { simulatedCluster } from "./simulated.js";

/** Hook paths and kinds of objects, as listed in the documentation of hooks. */
export const documented = {
  OP_BACKUP_EXPORT: "instance-export INSTANCE",
  OP_CLUSTER_DESTROY: "cluster-destroy CLUSTER",
  OP_CLUSTER_POST_INIT: "cluster-init CLUSTER",
  OP_CLUSTER_RENAME: "cluster-rename CLUSTER",
  OP_CLUSTER_SET_PARAMS: "cluster-modify CLUSTER",
  OP_CLUSTER_VERIFY_GROUP: "cluster-verify CLUSTER",
  OP_GROUP_ADD: "group-add GROUP",
  OP_GROUP_EVACUATE: "group-evacuate GROUP",
  OP_GROUP_REMOVE: "group-remove GROUP",
  OP_GROUP_RENAME: "group-rename GROUP",
  OP_GROUP_SET_PARAMS: "group-modify GROUP",
  OP_INSTANCE_CHANGE_GROUP: "instance-change-group INSTANCE",
  OP_INSTANCE_CREATE: "instance-add INSTANCE",
  OP_INSTANCE_FAILOVER: "instance-failover INSTANCE",
  OP_INSTANCE_GROW_DISK: "disk-grow INSTANCE",
  OP_INSTANCE_MIGRATE: "instance-migrate INSTANCE",
  OP_INSTANCE_MOVE: "instance-move INSTANCE",
  OP_INSTANCE_REBOOT: "instance-reboot INSTANCE",
  OP_INSTANCE_RECREATE_DISKS: "instance-recreate-disks INSTANCE",
  OP_INSTANCE_REINSTALL: "instance-reinstall INSTANCE",
  OP_INSTANCE_REMOVE: "instance-remove INSTANCE",
  OP_INSTANCE_RENAME: "instance-rename INSTANCE",
  OP_INSTANCE_REPLACE_DISKS: "mirrors-replace INSTANCE",
  OP_INSTANCE_SET_PARAMS: "instance-modify INSTANCE",
  OP_INSTANCE_SHUTDOWN: "instance-stop INSTANCE",
  OP_INSTANCE_STARTUP: "instance-start INSTANCE",
  OP_NETWORK_ADD: "network-add NETWORK",
  OP_NETWORK_CONNECT: "network-connect NETWORK",
  OP_NETWORK_DISCONNECT: "network-disconnect NETWORK",
  OP_NETWORK_REMOVE: "network-remove NETWORK",
  OP_NETWORK_SET_PARAMS: "network-modify NETWORK",
  OP_NODE_ADD: "node-add NODE",
  OP_NODE_MIGRATE: "node-migrate NODE",
  OP_NODE_REMOVE: "node-remove NODE",
  OP_NODE_RENAME: "node-rename NODE",
  OP_NODE_SET_PARAMS: "node-modify NODE",
};

interface Run {
  readonly node: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Four nodes in two groups with recording scripts everywhere. */
export async function stage() {
  const cluster = await simulatedCluster({ nodeCount: 4, initial: {}, host: {} });
  const { simulated, config, nodes } = cluster;
  const runs: Run[] = [];
  const nameOf = (uuid: string) =>
    config.snapshot.node(uuid as NodeUuid)?.name.split(".")[0] ?? "?";
  const paths = Object.values(documented).map((text) => text.split(" ")[0] ?? "");
  for (const path of [...new Set(paths)]) {
    for (const phase of ["pre", "post"]) {
      simulated.addHook({
        directory: `${path}-${phase}.d`,
        name: "00-record",
        run: (environment, node) => void runs.push({ node: nameOf(node), environment }),
      });
    }
  }
  /** Runs an opcode; returns the nodes on which its scripts ran, and their variables. */
  const told = async (op: JsonObject, status = "success") => {
    runs.length = 0;
    const ran = await cluster.run(op);
    expect(ran.status, JSON.stringify(ran.result)).toBe(status);
    const of = (phase: string) =>
      runs.filter(({ environment }) => environment.GANETI_HOOKS_PHASE === phase);
    const shown = (phase: string) => ({
      on: of(phase)
        .map(({ node }) => node.replace("node", ""))
        .sort()
        .join(" "),
      told: of(phase)[0]?.environment ?? {},
    });
    return { pre: shown("pre"), post: shown("post"), ran };
  };
  return { ...cluster, nodes, runs, told };
}

export const web1 = { instance_name: "web1.example.com" };
export const creating = (more: JsonObject = {}): JsonObject =>
  creationOf(web1.instance_name, {
    disk_template: "drbd",
    pnode: "node2",
    snode: "node3",
    disks: [{ size: 1024, name: "root" }],
    nics: [{ ip: "198.51.100.7", link: "xen-br0" }],
    beparams: { memory: 512 },
    tags: ["prod"],
    ...more,
  });
export const ofWeb1 = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  ...web1,
  ...more,
});
