/** introducedClient: a client of Ganeti's node RPC with a certificate of this node. */

import { join } from "node:path";
import { type GanetiSite, rootOf } from "@ganeti-ts/machines";
import { dataDirectory, type NodeBackend } from "@ganeti-ts/node-calls";
import {
  type ClientCertificates,
  clientCertificateFiles,
  createNodeRpcClient,
} from "@ganeti-ts/node-rpc";
import type { NodeObject } from "@ganeti-ts/protocol";
import { TakeoverError } from "./takeover-error.js";

/** File with the certificate and key of this node's calls, below the data directory. */
export const clientFile = "client.pem";

/**
 * A client of these nodes that needs no open cluster: for calls before it is opened and after it is closed.
 * @param file with certificate and key, below the data directory
 * @throws TakeoverError
 */
export async function introducedClient(
  site: GanetiSite,
  nodes: Iterable<NodeObject>,
  file = clientFile,
): Promise<NodeBackend> {
  const client = createNodeRpcClient({
    certificates: certificatesOf(site, file),
    virtualPaths: site.root !== undefined,
    exportDirectory: ({ name }) => `${rootOf(site, name)}${dataDirectory}/export`,
  });
  for (const { uuid, name, primary_ip, secondary_ip } of nodes) {
    await client.introduce({ uuid, name, primaryIp: primary_ip, secondaryIp: secondary_ip });
  }
  return client;
}

/** Replaced files are used from the next handshake on. */
export function certificatesOf(
  { data }: GanetiSite,
  client = clientFile,
): () => ClientCertificates {
  const files = clientCertificateFiles({
    cluster: join(data, "server.pem"),
    client: join(data, client),
  });
  try {
    files();
  } catch (error) {
    throw new TakeoverError(`the certificate of this node: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return files;
}
