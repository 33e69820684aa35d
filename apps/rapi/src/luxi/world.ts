/** What the local protocol reads and changes: the parts of a cluster. */
import type { Cluster } from "@ganeti-ts/cluster";
import type { Clock } from "@ganeti-ts/protocol";

export interface LuxiWorld extends Pick<Cluster, "queue" | "objects" | "snapshot"> {
  readonly clock: Clock;
}
