// Simulated nodes that replace the node daemons of a bench, each behind a server with the cluster's certificates.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  answered,
  failed,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
} from "@ganeti-ts/node-calls";
import { systemClock } from "@ganeti-ts/protocol";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";
import { briskDurations, noopOs, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { createNodeRpcServer, serverCertificateFile } from "../src/index.js";
import { digestOf } from "./loopback.js";

const virtualData = "/var/lib/ganeti";

/** A call that one of the servers has answered. */
export interface ServedCall {
  readonly node: string;
  readonly name: string;
  readonly failure?: string;
}

export interface SimulatedCluster {
  readonly simulated: SimulatedNodes;
  /** All calls so far. */
  readonly served: ServedCall[];
  readonly uuidOf: (name: string) => string;
  close(): Promise<void>;
}

/** Stops the node daemons of the bench and serves their addresses from simulated nodes with the same files. */
export async function simulateNodes(bench: ReferenceBench): Promise<SimulatedCluster> {
  const { nodes: inConfig } = JSON.parse(readFileSync(bench.configFile, "utf8")) as {
    readonly nodes: { readonly [uuid: string]: { readonly name: string } };
  };
  const uuids = new Map(Object.entries(inConfig).map(([uuid, { name }]) => [name, uuid]));
  const uuidOf = (name: string) => uuids.get(name) ?? "";
  const simulated = await SimulatedNodes.open({
    clock: systemClock,
    durations: { ...briskDurations, callMs: 0, instanceStartMs: 0, instanceStopMs: 0 },
    hosts: bench.nodes.map((node) => ({
      name: node.name,
      volumeGroups: { xenvg: { "/dev/sda": 102400 } },
      operatingSystems: [
        {
          ...noopOs,
          variants: ["default", "second"],
          parameters: [["my_param", "A parameter without effect"]] as const,
          apiVersions: [20, 15],
        },
      ],
      files: filesOf(node),
      certificateDigest: digestOf(readFileSync(node.clientPem, "utf8")),
    })),
  });
  const served: ServedCall[] = [];
  const master = uuidOf(bench.master.name);
  const backend = withAllocator(bench, withConfiguration(bench, master, simulated));
  const closing: (() => Promise<void>)[] = [];
  for (const node of bench.nodes) {
    const uuid = uuidOf(node.name);
    const { address } = node;
    await simulated.introduce({ uuid, name: node.name, primaryIp: address, secondaryIp: address });
    await bench.stopDaemon(node, "ganeti-noded");
    closing.push(await serveNode(bench, node, uuid, noting(backend, node.name, served)));
  }
  return {
    simulated,
    served,
    uuidOf,
    close: async () => {
      for (const close of closing) await close();
    },
  };
}

/** Starts the server of one node at the node's address. */
async function serveNode(
  bench: ReferenceBench,
  node: ReferenceNode,
  uuid: string,
  nodes: NodeBackend,
): Promise<() => Promise<void>> {
  const digests = readFileSync(join(node.dataFolder, "ssconf_master_candidates_certs"), "utf8");
  const server = await createNodeRpcServer({
    certificates: serverCertificateFile(node.serverPem),
    acceptedDigests: () => digests.split("\n").map((line) => line.slice(line.indexOf("=") + 1)),
    nodes,
    node: uuid,
    lease: "1:1",
    host: "127.0.0.1",
    port: 0,
    virtualPaths: true,
  });
  const close = await bench.serve(node.address, node.nodedPort, (socket) => {
    const inner = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    inner.on("error", () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  return async () => {
    await close();
    await server.close();
  };
}

/** Files that the setup of the cluster has written to a node, by their paths on a real node. */
const filesOf = ({ dataFolder }: ReferenceNode): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dataFolder)
      .filter((name) => /^(?!watcher)[\w-]+(\.pem|\.key|\.data)?$/.test(name))
      .map((name) => [name, join(dataFolder, name)] as const)
      .filter(([, path]) => statSync(path).isFile())
      .concat([["rapi/users", join(dataFolder, "rapi/users")]])
      .map(([name, path]) => [`${virtualData}/${name}`, readFileSync(path, "utf8")]),
  );

const noting = (nodes: NodeBackend, node: string, served: ServedCall[]): NodeBackend => ({
  introduce: (address) => nodes.introduce(address),
  async call(uuid, name, args, caller) {
    const answer = await nodes.call(uuid, name, args, caller);
    served.push({ node, name, ...(!answer.ok && { failure: answer.message }) });
    return answer;
  },
});

/** Runs Ganeti's allocator on the bench, because simulated nodes have no programs. */
const withAllocator = (bench: ReferenceBench, nodes: NodeBackend): NodeBackend => ({
  introduce: (address) => nodes.introduce(address),
  async call(uuid, name, args, caller) {
    if (name !== "iallocator_runner") return nodes.call(uuid, name, args, caller);
    const { input } = args as unknown as NodeCallArguments<"iallocator_runner">;
    return (await allocated(bench, input)) as never;
  },
});

/** Adds the master's configuration file, which Ganeti writes without a node call. */
const withConfiguration = (
  bench: ReferenceBench,
  master: string,
  simulated: SimulatedNodes,
): NodeBackend => ({
  introduce: (address) => simulated.introduce(address),
  async call(uuid, name, args, caller) {
    const files = simulated.stateOf(uuid)?.files ?? {};
    if (uuid === master && name === "node_verify") {
      files[`${virtualData}/config.data`] = readFileSync(bench.configFile, "utf8");
    }
    return simulated.call(uuid, name, args, caller);
  },
});

async function allocated(bench: ReferenceBench, input: string): Promise<NodeAnswer<string>> {
  const script =
    'f=$(mktemp); cat > "$f"; /usr/lib/ganeti/iallocators/hail "$f"; s=$?; rm "$f"; exit $s';
  const { status, stdout, stderr } = await bench.attempt("/bin/sh", ["-c", script], { input });
  return status === 0 ? answered(stdout) : failed(stderr);
}
