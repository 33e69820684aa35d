/** A client of one cluster. */
import { RapiInfo } from "@ganeti-ts/protocol";
import { Caller } from "./caller.js";
import { type Groups, groupsOf } from "./groups.js";
import { type Instances, instancesOf } from "./instances.js";
import { type Jobs, jobsOf } from "./jobs.js";
import { type Nodes, nodesOf } from "./nodes.js";
import type { Reading } from "./reading.js";
import type { RapiOptions } from "./server.js";
import { type Tags, tagsOf } from "./tags.js";

/** All methods throw RapiError, and take a signal that stops them. */
export interface Rapi {
  /** The cluster as a whole. */
  info(options?: Reading): Promise<RapiInfo>;
  readonly groups: Groups;
  readonly nodes: Nodes;
  readonly instances: Instances;
  readonly jobs: Jobs;
  /** Of the cluster itself. */
  readonly tags: Tags;
  /** The body of any resource as the server sends it: `read("/2/nodes", { query: { bulk: 1 } })`. */
  read: Caller["read"];
}

/** Connects to nobody yet. @throws RapiError `invalid_url` */
export function openRapi(options: RapiOptions): Rapi {
  const caller = new Caller(options);
  return {
    info: (reading) => caller.call("GET", "/2/info", RapiInfo, reading),
    groups: groupsOf(caller),
    nodes: nodesOf(caller),
    instances: instancesOf(caller),
    jobs: jobsOf(caller),
    tags: tagsOf(caller, "/2"),
    read: (path, reading) => caller.read(path, reading),
  };
}
