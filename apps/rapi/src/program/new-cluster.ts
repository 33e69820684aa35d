/** A cluster that is made of nothing: its configuration, with nodes that are simulated. */

import {
  type ConfigStore,
  type ConfigurationContent,
  initialConfiguration,
} from "@ganeti-ts/config";
import type { Clock } from "@ganeti-ts/protocol";
import { secureRandom } from "@ganeti-ts/protocol";
import type { NewClusterFile } from "./new-cluster-file.js";
import { settledConfiguration } from "./new-cluster-settings.js";

export interface NewCluster {
  readonly name: string;
  readonly nodeCount: number;
  readonly groupCount: number;
  readonly file: NewClusterFile;
  /** Where programs that allocate are looked for. */
  readonly allocatorPath: readonly string[];
}

/**
 * Makes the cluster unless there is one; says whether it did. All of it is there afterwards, or nothing.
 * @throws NewClusterError in the words of the check that failed
 */
export async function ensureCluster(
  store: ConfigStore,
  clock: Clock,
  wanted: NewCluster,
): Promise<boolean> {
  if ((await store.load()).serial > 0) return false;
  const { serial, rows } = await settledConfiguration(contentOf(clock, wanted), {
    ...{ clock, parameters: wanted.file.parameters, allocatorPath: wanted.allocatorPath },
  });
  return (await store.commit({ expectedSerial: 0, serial, rows })) === "done";
}

function contentOf(
  clock: Clock,
  { name, nodeCount, groupCount, file }: NewCluster,
): ConfigurationContent {
  const domain = name.includes(".") ? name.slice(name.indexOf(".") + 1) : name;
  const groups =
    file.groups ??
    Array.from({ length: groupCount }, (_, at) => (at === 0 ? "default" : `group${at + 1}`));
  const perGroup = Math.ceil(nodeCount / groupCount);
  const nodes =
    file.nodes ??
    Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at + 1}.${domain}`,
      group: groups[Math.floor(at / perGroup)] ?? "default",
    }));
  return initialConfiguration({
    clusterName: name,
    groups: groups.map((group) => ({ name: group })),
    nodes: nodes.map((node, at) => ({ primary_ip: simulatedAddress(at + 1), ...node })),
    hypervisors: file.hypervisors ?? ["fake"],
    ...(file.disk_templates === undefined ? {} : { diskTemplates: file.disk_templates }),
    random: secureRandom,
    now: clock.wallMicros() / 1e6,
    cluster: { default_iallocator: "hail", ...file.cluster },
  });
}

/** Of the nth machine: of the networks that are kept for examples, and for trials. */
const simulatedAddress = (n: number): string =>
  n < 255 ? `192.0.2.${n}` : `198.18.${n >> 8}.${n & 255}`;
