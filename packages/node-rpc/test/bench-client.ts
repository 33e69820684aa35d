// A client outside of a bench for the node daemons inside.
import { type AddressInfo, createServer, type Server } from "node:net";
import type { NodeAddress } from "@ganeti-ts/node-calls";
import type { ReferenceBench } from "@ganeti-ts/reference";
import { clientCertificateFiles, createNodeRpcClient, type NodeRpcClient } from "../src/index.js";

export interface BenchClient {
  readonly client: NodeRpcClient;
  /** The nodes as they were introduced, with their names as UUIDs. */
  readonly members: readonly NodeAddress[];
  close(): void;
}

/** Calls the daemons with the master's certificate. */
export async function benchClient(bench: ReferenceBench): Promise<BenchClient> {
  const gateways = await Promise.all(bench.nodes.map((node) => gateway(bench, node)));
  const ports = bench.nodes.map(({ name }, at) => [name, gateways[at]?.port ?? 0] as const);
  const client = createNodeRpcClient({
    certificates: clientCertificateFiles({
      cluster: bench.master.serverPem,
      client: bench.master.clientPem,
    }),
    virtualPaths: true,
    ports: Object.fromEntries(ports),
  });
  const members = bench.nodes.map(({ name, address }) => ({ uuid: name, name, address }));
  for (const { uuid, name, address } of members) {
    await client.introduce({ uuid, name, primaryIp: "127.0.0.1", secondaryIp: address });
  }
  return {
    client,
    members: members.map(({ uuid, name, address }) => ({
      ...{ uuid, name, primaryIp: address, secondaryIp: address },
    })),
    close: () => {
      for (const { server } of gateways) server.close();
    },
  };
}

/** Forwards a port on loopback to a node daemon of the bench. */
async function gateway(
  bench: ReferenceBench,
  { address, nodedPort }: ReferenceBench["master"],
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    bench.connect(address, nodedPort).then(
      (inside) => {
        inside.on("error", () => socket.destroy());
        socket.pipe(inside).pipe(socket);
      },
      () => socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
