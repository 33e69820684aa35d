/** ganetiNodes: the cluster's nodes are Ganeti's node daemons, called with the certificate of this node. */
import { join } from "node:path";
import { dataDirectory } from "@ganeti-ts/node-calls";
import {
  type ClientCertificates,
  clientCertificateFiles,
  createNodeRpcClient,
} from "@ganeti-ts/node-rpc";
import { systemClock } from "@ganeti-ts/protocol";
import type { ChosenNodes } from "../simulation.js";
import { StartError } from "../start-error.js";
import { systemResolver } from "../system-resolver.js";
import { openCallsInFlight } from "./calls-in-flight.js";
import { ganetiConsoles } from "./ganeti-consoles.js";
import { masterMachine } from "./master-machine.js";
import { noFence } from "./no-fence.js";
import { type GanetiSite, rootOf } from "./site.js";

/**
 * @param callsFile where calls in flight are kept
 * @throws StartError if the certificates of this node cannot be read, or it is not the master
 */
export const ganetiNodes = (site: GanetiSite, callsFile: string): ChosenNodes => ({
  async nodes(now) {
    const { cluster } = now();
    const master = now().node(cluster.master_node)?.name;
    if (master !== site.host) {
      throw new StartError(`this is ${site.host}, but the master of the cluster is ${master}`);
    }
    const client = createNodeRpcClient({
      certificates: certificatesOf(site),
      virtualPaths: site.root !== undefined,
      exportDirectory: ({ name }) => `${rootOf(site, name)}${dataDirectory}/export`,
    });
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
