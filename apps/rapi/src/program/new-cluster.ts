/** A cluster that is made of nothing: its configuration, with nodes that are simulated. */
import {
  type ConfigStore,
  createConfiguration,
  initialConfiguration,
  secureRandom,
} from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/job-queue";

export interface NewCluster {
  readonly name: string;
  readonly nodeCount: number;
  readonly groupCount: number;
}

/** Makes the cluster unless there is one; says whether it did. */
export async function ensureCluster(
  store: ConfigStore,
  clock: Clock,
  { name, nodeCount, groupCount }: NewCluster,
): Promise<boolean> {
  if ((await store.load()).serial > 0) return false;
  const domain = name.includes(".") ? name.slice(name.indexOf(".") + 1) : name;
  const groups = Array.from({ length: groupCount }, (_, at) => ({
    name: at === 0 ? "default" : `group${at + 1}`,
  }));
  const perGroup = Math.ceil(nodeCount / groupCount);
  await createConfiguration(
    store,
    initialConfiguration({
      clusterName: name,
      groups,
      nodes: Array.from({ length: nodeCount }, (_, at) => ({
        name: `node${at + 1}.${domain}`,
        primary_ip: `192.0.2.${at + 1}`,
        group: groups[Math.floor(at / perGroup)]?.name ?? "default",
      })),
      hypervisors: ["fake"],
      random: secureRandom,
      now: clock.wallMicros() / 1e6,
      cluster: { default_iallocator: "hail" },
    }),
  );
  return true;
}
