/** Client of one cluster. */
import { RapiInfo } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller, CallOptions } from "./caller.js";
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
import { type Submission, submitter } from "./submission.js";
import { type Tags, tagsOf } from "./tags.js";

/** A client over any transport. */
export function rapiOver(caller: Caller) {
  const submit = submitter(caller);
  return {
    /** The cluster as a whole. */
    info: (options?: Reading): Promise<RapiInfo> =>
      caller.call("GET", "/2/info", RapiInfo, options),
    groups: groupsOf(caller) as Groups,
    nodes: nodesOf(caller) as Nodes,
    instances: instancesOf(caller) as Instances,
    jobs: jobsOf(caller) as Jobs,
    networks: networksOf(caller) as Networks,
    filters: filtersOf(caller) as Filters,
    ...(queriesOf(caller) as Queries),
    /** Optional features that the server supports. */
    features: (options?: Reading): Promise<readonly string[]> =>
      caller.call("GET", "/2/features", z.array(z.string()), options),
    /** Names of operating systems, with their variants. */
    operatingSystems: (options?: Reading): Promise<readonly string[]> =>
      caller.call("GET", "/2/os", z.array(z.string()), options),
    /** Changes the cluster's parameters. */
    modify: (
      change: ParametersOf<"OP_CLUSTER_SET_PARAMS", "compression_tools">,
      submission?: Submission,
    ) => submit("PUT", "/2/modify", change, submission),
    /** Distributes the configuration to all nodes again. */
    redistributeConfig: (submission?: Submission) =>
      submit("PUT", "/2/redistribute-config", {}, submission),
    /** Tags of the cluster itself. */
    tags: tagsOf(caller, "/2") as Tags,
    /** Resources that only this project's server has. */
    own: ownOf(caller) as Own,
    /** The unparsed body of any resource: `read("/2/nodes", { query: { bulk: 1 } })`. */
    read: (path: string, options?: Omit<CallOptions, "body">): Promise<Uint8Array> =>
      caller.read(path, options),
  };
}

/** All methods throw RapiError, and accept an abort signal. */
export interface Rapi extends ReturnType<typeof rapiOver> {}
