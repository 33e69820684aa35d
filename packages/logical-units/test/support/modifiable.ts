// Cluster with a stopped instance on plain disks, and helpers to modify it.

import type { JsonObject } from "@ganeti-ts/protocol";
import { faultsAtRest, lostData } from "@ganeti-ts/simulated-nodes/at-rest";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { simulatedCluster } from "./simulated.js";

export async function modifiable(more: JsonObject = {}, nodeCount = 2) {
  const cluster = await simulatedCluster({ nodeCount, cluster: { volume_group_name: "xenvg" } });
  const made = await cluster.run(
    creationOf("web1.example.com", {
      ...{ pnode: "node1.example.com", start: false, no_install: true },
      ...more,
    }),
  );
  const name = more.forthcoming === true ? String(made.result) : "web1.example.com";
  const modify = (given: JsonObject) =>
    cluster.run({ OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name: name, ...given });
  const about = () => cluster.config.snapshot.expectInstance(name);
  const rest = () => {
    const { config, simulated } = cluster;
    return [...faultsAtRest(config.snapshot, simulated), ...lostData(config.snapshot, simulated)];
  };
  return { ...cluster, modify, about, rest };
}
