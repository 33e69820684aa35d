/** World of the local protocol: the parts of a cluster that it reads and changes. */
import type { Cluster } from "@ganeti-ts/cluster";
import type { Clock } from "@ganeti-ts/protocol";

export interface LuxiWorld extends Pick<Cluster, "queue" | "objects" | "snapshot"> {
  readonly clock: Clock;
}
