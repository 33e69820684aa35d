/** ganetiNodes: the cluster's nodes are Ganeti's node daemons, called with the certificate of this node. */
import { join } from "node:path";
import { dataDirectory, type NodeBackend } from "@ganeti-ts/node-calls";
import {
  type ClientCertificates,
  clientCertificateFiles,
  createNodeRpcClient,
} from "@ganeti-ts/node-rpc";
import { type NodeObject, systemClock } from "@ganeti-ts/protocol";
import type { Log } from "../../log.js";
import type { ChosenNodes } from "../simulation.js";
import { NotMasterError, StartError } from "../start-error.js";
import { systemResolver } from "../system-resolver.js";
import { openCallsInFlight } from "./calls-in-flight.js";
import { ganetiConsoles } from "./ganeti-consoles.js";
import { masterMachine } from "./master-machine.js";
import { noFence } from "./no-fence.js";
import { type GanetiSite, rootOf } from "./site.js";
import { beElected } from "./voting.js";

/** How this server becomes the master. */
export interface Election {
  /** Whether most nodes must name this one as the master. */
  readonly asksNodes: boolean;
  /** Called when this node may be the master, before anything is changed. */
  readonly elected: () => Promise<void>;
  readonly log: Log;
}

/**
 * @param callsFile where calls in flight are kept
 * @param election undefined: without any, for trials
 * @throws StartError if the certificates of this node cannot be read; NotMasterError if it is not the master
 */
export const ganetiNodes = (
  site: GanetiSite,
  callsFile: string,
  election?: Election,
): ChosenNodes => ({
  async nodes(now) {
    const { cluster } = now();
    const master = now().node(cluster.master_node)?.name;
    if (master !== site.host) {
      throw new NotMasterError(`this is ${site.host}, but the master of the cluster is ${master}`);
    }
    const client = await introducedClient(site, now().nodes());
    if (election?.asksNodes) await beElected(client, now(), site.host, election.log);
    await election?.elected();
    const inFlight = await openCallsInFlight(callsFile, systemClock);
    return {
      backend: inFlight.recording(client),
      fence: noFence,
      callsEnded: (lease) => inFlight.ended(lease),
      masterHost: masterMachine(site, now),
      bringsUpMasterAddress: true,
    };
  },
  resolver: systemResolver,
  practice: undefined,
  consoles: ganetiConsoles(site),
});

/** @throws StartError if the certificates of this node cannot be read */
const clientOf = (site: GanetiSite): NodeBackend =>
  createNodeRpcClient({
    certificates: certificatesOf(site),
    virtualPaths: site.root !== undefined,
    exportDirectory: ({ name }) => `${rootOf(site, name)}${dataDirectory}/export`,
  });

/** Nodes without a cluster: for questions before it is opened, and after its end. @throws StartError */
export async function introducedClient(
  site: GanetiSite,
  nodes: Iterable<NodeObject>,
): Promise<NodeBackend> {
  const client = clientOf(site);
  for (const { uuid, name, primary_ip, secondary_ip } of nodes) {
    await client.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: secondary_ip });
  }
  return client;
}

/** Replaced files are used from the next handshake on. */
export function certificatesOf({ data }: GanetiSite): () => ClientCertificates {
  const files = clientCertificateFiles({
    cluster: join(data, "server.pem"),
    client: join(data, "client.pem"),
  });
  try {
    files();
  } catch (error) {
    throw new StartError(`the certificate of this node: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return files;
}
