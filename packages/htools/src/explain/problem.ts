/** Problem that suggestions are searched for: a failed placement. */
import type { AllocatorRequest, InstanceData } from "@ganeti-ts/protocol";
import type { RequestOptions } from "../allocate/request-options.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { Resize } from "./resize.js";
import type { Shortage } from "./shortages.js";

/** The failed request, the instance that was not placed, and its shortages. */
export interface Problem {
  readonly cluster: Cluster;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
  readonly instance: Instance;
  readonly data: InstanceData;
  readonly shortages: readonly Shortage[];
  readonly excesses: ReadonlyMap<Resize["resource"], readonly number[]>;
}
