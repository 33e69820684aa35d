/** Input and ports of a cluster's creation, and its error. */
import type { ConfigStore } from "@ganeti-ts/config";
import type { ClusterPorts } from "../ports.js";
import type { NewClusterSettings, NewNode } from "./new-cluster-settings.js";

export interface NewCluster extends NewClusterSettings {
  readonly name: string;
  nodes: (NewNode & { readonly primary_ip: string })[];
}

export interface CreationPorts
  extends Pick<ClusterPorts, "nodes" | "resolver" | "clock" | "random" | "allocatorPrograms"> {
  readonly store: ConfigStore;
}

/** A new cluster with invalid settings. */
export class NewClusterError extends Error {
  override readonly name = "NewClusterError";
}
