/** ganetiNodes: the cluster's nodes are Ganeti's node daemons, called with the certificate of this node. */

import type { Snapshot } from "@ganeti-ts/config";
import { leaseText } from "@ganeti-ts/job-queue";
import { type GanetiSite, systemResolver } from "@ganeti-ts/machines";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { systemClock } from "@ganeti-ts/protocol";
import type { PostgresServers } from "@ganeti-ts/store/postgres";
import {
  beElected,
  callsInFlight,
  digestFence,
  introducedClient,
  type MasterWatch,
  masterMachine,
  NotMasterError,
  noFence,
  openCallsFile,
  ownDigest,
  processIdentity,
  sharedRecords,
} from "@ganeti-ts/takeover";
import type { Log } from "../../log.js";
import type { DataDirectory } from "../data-directory.js";
import type { ChosenNodes } from "../simulation.js";
import type { Stores } from "../stores.js";
import { ganetiConsoles } from "./ganeti-consoles.js";

/** How this server becomes the master. */
export interface Election {
  /** Whether most nodes must name this one as the master. */
  readonly asksNodes: boolean;
  /** Whether machines are cleared by ssh once they have left the cluster. */
  readonly clearsFormerNodes: boolean;
  /** Called when this node may be the master, before anything is changed. */
  readonly elected: () => Promise<void>;
  /** Called when another node is the master, before the refusal is thrown. */
  readonly lost: () => Promise<void>;
  /** Asks the nodes again while this server is the master. */
  readonly watch: MasterWatch;
  readonly log: Log;
}

/** Where calls in flight are recorded: a file, or the database that the servers share. */
export interface ServerRecords {
  readonly callsFile: string;
  readonly shared?: { readonly servers: PostgresServers; readonly lease: string };
}

/** The records that belong to these stores. */
export const recordsOf = (
  { callsInFlight: callsFile }: Pick<DataDirectory, "callsInFlight">,
  { servers, jobs }: Pick<Stores, "servers" | "jobs">,
): ServerRecords => ({
  callsFile,
  ...(servers && { shared: { servers, lease: leaseText(jobs.claim) } }),
});

/**
 * @param records where calls in flight are recorded
 * @param election undefined: without any, for trials
 * @throws TakeoverError if the certificates of this node cannot be read; NotMasterError if it is not the master
 */
export const ganetiNodes = (
  site: GanetiSite,
  records: ServerRecords,
  election?: Election,
): ChosenNodes => ({
  async nodes(now) {
    const client = await introducedClient(site, now().nodes());
    try {
      checkMaster(now(), site);
      if (election?.asksNodes) await beElected(client, now(), site.host, election.log);
      await election?.elected();
    } catch (error) {
      if (error instanceof NotMasterError) await election?.lost();
      throw error;
    }
    election?.watch.begin(client, now);
    const { inFlight, fence } = await inFlightOn(records, { site, client, now });
    return {
      backend: inFlight.recording(client),
      fence,
      callsEnded: (lease) => inFlight.ended(lease),
      masterHost: {
        ...masterMachine(site, now),
        clearsFormerNodes: election?.clearsFormerNodes ?? false,
      },
      bringsUpMasterAddress: true,
    };
  },
  resolver: systemResolver,
  practice: undefined,
  consoles: ganetiConsoles(site),
});

/** @throws NotMasterError */
function checkMaster(now: Snapshot, { host }: GanetiSite): void {
  const { name } = now.expectNode(now.cluster.master_node);
  if (name === host) return;
  throw new NotMasterError(`this is ${host}, but the master of the cluster is ${name}`);
}

interface Own {
  readonly site: GanetiSite;
  readonly client: NodeBackend;
  readonly now: () => Snapshot;
}

/** Servers that share a database enter it before their first call, so that others can refuse them. @throws TakeoverError */
async function inFlightOn({ callsFile, shared }: ServerRecords, { site, client, now }: Own) {
  if (shared === undefined) {
    const records = await openCallsFile(callsFile, systemClock);
    return { inFlight: callsInFlight(records, systemClock), fence: noFence };
  }
  const { servers, lease } = shared;
  const { uuid, name } = now().expectNode(now().cluster.master_node);
  const [digest, identity = ""] = [await ownDigest(site), await processIdentity(process.pid)];
  await servers.enter(lease, { uuid, name, digest, process: identity });
  return {
    inFlight: callsInFlight(sharedRecords(servers, lease), systemClock),
    fence: digestFence({ nodes: client, now, servers, own: { uuid, digest } }),
  };
}
