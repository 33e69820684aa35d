import { createNodeRpcClient } from "@ganeti-ts/node-rpc";

/** A client of the daemon on this port of the loopback interface, with the node's UUID `uuid-1`; `pem` is its certificate and key. */
export async function nodeClient(clusterCertificate: string, pem: string, port: number) {
  const client = createNodeRpcClient({
    clusterCertificate,
    clientCertificate: pem,
    clientKey: pem,
    port,
  });
  const ip = "127.0.0.1";
  await client.introduce({ uuid: "uuid-1", name: "node1", primaryIp: ip, secondaryIp: ip });
  return client;
}
