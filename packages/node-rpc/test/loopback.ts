// A client and servers on loopback, with certificates made for these tests (100 years).
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { answered, type NodeAddress, type NodeBackend } from "@ganeti-ts/node-calls";
import {
  createNodeRpcClient,
  createNodeRpcServer,
  type NodeRpcClient,
  type NodeRpcClientOptions,
  type NodeRpcServer,
  type NodeRpcServerOptions,
} from "../src/index.js";

const pem = (name: string) =>
  readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url), "utf8");

/** Keys with certificates of the cluster, a candidate, a node that may not call and another cluster, and an expired one. */
export const pems = {
  server: pem("server"),
  client: pem("client"),
  other: pem("other"),
  foreign: pem("foreign"),
  expired: pem("expired"),
};

export const digestOf = (certificate: string) => new X509Certificate(certificate).fingerprint;

export const certificates = {
  clusterCertificate: pems.server,
  clientCertificate: pems.client,
  clientKey: pems.client,
};

const accepted = [digestOf(pems.client)];

export const serve = (
  nodes: NodeBackend,
  node: string,
  options: Partial<NodeRpcServerOptions> = {},
): Promise<NodeRpcServer> =>
  createNodeRpcServer({
    clusterCertificate: pems.server,
    clusterKey: pems.server,
    nodes,
    node,
    lease: "1:1",
    acceptedDigests: () => accepted,
    host: "127.0.0.1",
    port: 0,
    ...options,
  } as NodeRpcServerOptions);

export const loopbackNode = (uuid = "A"): NodeAddress => ({
  uuid,
  name: `${uuid}.example.com`,
  primaryIp: "127.0.0.1",
  secondaryIp: "198.51.100.1",
});

export async function clientOf(
  port: number,
  options: Partial<NodeRpcClientOptions> = {},
): Promise<NodeRpcClient> {
  const client = createNodeRpcClient({ ...certificates, port, ...options } as NodeRpcClientOptions);
  await client.introduce(loopbackNode());
  return client;
}

export const caller = { lease: "1:1", signal: new AbortController().signal };

/** Nodes that answer each call with a version. */
export const versioned = {
  introduce: async () => {},
  call: async () => answered({ protocol: 3_000_000 }),
} as unknown as NodeBackend;
