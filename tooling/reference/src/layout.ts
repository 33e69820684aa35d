// Names, addresses and paths of a bench. The same for every bench: each has a network and a view of files of its own.
import { join } from "node:path";

const domain = "example.com";
const network = "10.77.0";

/** Where the nodes' folders are, as programs inside the bench see them. */
export const insideNodes = "/srv/vcluster";
export const fileStorageFolder = `${insideNodes}/file-storage`;
/** Name of the bridge on which all addresses are. Ganeti's default NIC link. */
export const bridge = "xen-br0";
/** Search path of all programs inside a bench; the first folder has its stand-ins. */
export const programPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Volume group of every node of a bench with stand-ins for storage. */
export const volumeGroup = "xenvg";
export const clusterName = `cluster.${domain}`;
export const clusterAddress = `${network}.1`;
export const rapiPort = 5080;

/** Users of the remote API with their passwords: one may write, the other one only read. */
export const rapiUsers = {
  writer: { name: "writer", password: "writer-secret" },
  reader: { name: "reader", password: "reader-secret" },
} as const;

/** One virtual node of a bench. Paths are those outside; inside the bench they are valid as well. */
export interface ReferenceNode {
  readonly name: string;
  readonly address: string;
  readonly nodedPort: number;
  readonly confdPort: number;
  readonly mondPort: number;
  /** The node's root folder; `var/lib/ganeti` and so on are below it. */
  readonly root: string;
  /** `GANETI_ROOTDIR` of the node: its root folder as programs inside the bench see it. */
  readonly insideRoot: string;
  readonly dataFolder: string;
  readonly runFolder: string;
  readonly logFolder: string;
  /** Key and certificate that all node daemons share. */
  readonly serverPem: string;
  /** Key and certificate of this node as a caller. */
  readonly clientPem: string;
}

/** The nodes of a bench whose folder is `directory`, the master first; at least one. */
export function nodesOf(
  directory: string,
  count: number,
): readonly [ReferenceNode, ...ReferenceNode[]] {
  const nodeAt = (index: number): ReferenceNode => {
    const name = `node${index + 1}.${domain}`;
    const root = join(directory, "nodes", name);
    const dataFolder = join(root, "var/lib/ganeti");
    return {
      name,
      address: `${network}.${index + 10}`,
      nodedPort: 1811,
      confdPort: 1814,
      mondPort: 1815,
      root,
      insideRoot: `${insideNodes}/${name}`,
      dataFolder,
      runFolder: join(root, "var/run/ganeti"),
      logFolder: join(root, "var/log/ganeti"),
      serverPem: join(dataFolder, "server.pem"),
      clientPem: join(dataFolder, "client.pem"),
    };
  };
  return [nodeAt(0), ...Array.from({ length: count - 1 }, (_, index) => nodeAt(index + 1))];
}

/** Names that resolve inside a bench, with their addresses: the cluster, its nodes, `inst1` to `inst60`. */
export function hostNames(nodes: readonly ReferenceNode[]): readonly (readonly [string, string])[] {
  return [
    [clusterAddress, clusterName],
    ...nodes.map(({ address, name }) => [address, name] as const),
    ...Array.from({ length: 60 }, (_, index) => {
      return [`${network}.${index + 100}`, `inst${index + 1}.${domain}`] as const;
    }),
  ];
}
