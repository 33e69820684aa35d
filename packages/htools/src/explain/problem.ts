/** A failed placement that suggestions are sought for. */
import type { AllocatorRequest, InstanceData } from "@ganeti-ts/protocol";
import type { RequestOptions } from "../allocate/request-options.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { Resize } from "./resize.js";
import type { Shortage } from "./shortages.js";

/** The request that failed, the instance that found no place, and what it lacked. */
export interface Problem {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly instance: Instance;
  readonly data: InstanceData;
  readonly shortages: readonly Shortage[];
  readonly excesses: ReadonlyMap<Resize["resource"], readonly number[]>;
}
