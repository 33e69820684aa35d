/** Input and ports of a cluster's creation, and its error. */
import type { ConfigStore } from "@ganeti-ts/config";
import type { ClusterPorts } from "../ports.js";
import type { NewClusterSettings, NewNode } from "./new-cluster-settings.js";

/** A new cluster with valid settings: its name and its nodes with their addresses. */
export interface NewCluster extends NewClusterSettings {
  readonly name: string;
  nodes: (NewNode & { readonly primary_ip: string })[];
}

/** Ports for creating a cluster: those of the cluster that are used, and the store for the configuration. */
export interface CreationPorts
  extends Pick<ClusterPorts, "nodes" | "resolver" | "clock" | "random" | "allocatorPrograms"> {
  readonly store: ConfigStore;
}

/** Error for invalid settings of a new cluster. */
export class NewClusterError extends Error {
  override readonly name = "NewClusterError";
}
