/** Client of one cluster. */
import { JobId, RapiInfo } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import { type Filters, filtersOf } from "./filters.js";
import { type Groups, groupsOf } from "./groups.js";
import { type Instances, instancesOf } from "./instances.js";
import { type Jobs, jobsOf } from "./jobs.js";
import { type Networks, networksOf } from "./networks.js";
import { type Nodes, nodesOf } from "./nodes.js";
import { type Own, ownOf } from "./own.js";
import type { ParametersOf } from "./parameters.js";
import { type Queries, queriesOf } from "./queries.js";
import type { Reading } from "./reading.js";
import { type Submission, submitted } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

/** All methods throw RapiError, and accept an abort signal. */
export interface Rapi extends Queries {
  /** The cluster as a whole. */
  info(options?: Reading): Promise<RapiInfo>;
  readonly groups: Groups;
  readonly nodes: Nodes;
  readonly instances: Instances;
  readonly jobs: Jobs;
  readonly networks: Networks;
  readonly filters: Filters;
  /** Optional features that the server supports. */
  features(options?: Reading): Promise<readonly string[]>;
  /** Names of operating systems, with their variants. */
  operatingSystems(options?: Reading): Promise<readonly string[]>;
  /** Changes the cluster's parameters. */
  modify(
    change: ParametersOf<"OP_CLUSTER_SET_PARAMS", "compression_tools">,
    submission?: Submission,
  ): Promise<JobId>;
  /** Distributes the configuration to all nodes again. */
  redistributeConfig(submission?: Submission): Promise<JobId>;
  /** Tags of the cluster itself. */
  readonly tags: Tags;
  /** Resources that only this project's server has. */
  readonly own: Own;
  /** The unparsed body of any resource: `read("/2/nodes", { query: { bulk: 1 } })`. */
  read: Caller["read"];
}

/** A client over any transport. */
export function rapiOver(caller: Caller): Rapi {
  return {
    info: (reading) => caller.call("GET", "/2/info", RapiInfo, reading),
    groups: groupsOf(caller),
    nodes: nodesOf(caller),
    instances: instancesOf(caller),
    jobs: jobsOf(caller),
    networks: networksOf(caller),
    filters: filtersOf(caller),
    ...queriesOf(caller),
    features: (reading) => caller.call("GET", "/2/features", z.array(z.string()), reading),
    operatingSystems: (reading) => caller.call("GET", "/2/os", z.array(z.string()), reading),
    modify: (change, submission = {}) =>
      caller.call("PUT", "/2/modify", JobId, submitted(change, submission)),
    redistributeConfig: (submission = {}) =>
      caller.call("PUT", "/2/redistribute-config", JobId, submitted({}, submission)),
    tags: tagsOf(caller, "/2"),
    own: ownOf(caller),
    read: (path, reading) => caller.read(path, reading),
  };
}
