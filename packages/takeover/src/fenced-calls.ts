/** fencedCalls: the record of calls in flight, and the fence against earlier servers. */
import type { Snapshot } from "@ganeti-ts/config";
import type { GanetiSite } from "@ganeti-ts/machines";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { systemClock } from "@ganeti-ts/protocol";
import type { PostgresServers } from "@ganeti-ts/store/postgres";
import { callsInFlight, openCallsFile } from "./calls-in-flight.js";
import { digestFence } from "./digest-fence.js";
import { noFence } from "./no-fence.js";
import { ownDigest } from "./original.js";
import { processIdentity, sharedRecords } from "./shared-records.js";

/** Where calls in flight are recorded: a file, or the database that the servers share. */
export interface CallPlaces {
  readonly callsFile: string;
  readonly shared?: { readonly servers: PostgresServers; readonly lease: string };
}

interface Master {
  readonly site: GanetiSite;
  readonly client: NodeBackend;
  readonly now: () => Snapshot;
}

/** With a shared database, registers this server before its first call, so that others can fence it. @throws TakeoverError */
export async function fencedCalls({ callsFile, shared }: CallPlaces, master: Master) {
  if (shared === undefined) {
    const records = await openCallsFile(callsFile, systemClock);
    return { inFlight: callsInFlight(records, systemClock), fence: noFence };
  }
  const { site, client, now } = master;
  const { servers, lease } = shared;
  const { uuid, name } = now().expectNode(now().cluster.master_node);
  const [digest, identity = ""] = [await ownDigest(site), await processIdentity(process.pid)];
  await servers.enter(lease, { uuid, name, digest, process: identity });
  return {
    inFlight: callsInFlight(sharedRecords(servers, lease), systemClock),
    fence: digestFence({ nodes: client, now, servers, own: { uuid, digest } }),
  };
}
