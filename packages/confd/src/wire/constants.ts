/** Numbers and limits of the confd protocol. */

/** First four bytes of every datagram: plain JSON, version 0. */
export const confdMagic = "plj0";

/** UDP port of Ganeti's confd. */
export const confdPort = 1814;

/** Version in each message. */
export const confdProtocol = 1;

/** A query is refused if its timestamp is further than this from the server's clock. */
export const clockSkewMaxSeconds = 300;

/** A server reads this many bytes of a datagram and no more. */
export const queryBytesMax = 4096;

/** Neither side sends a larger datagram. */
export const datagramBytesMax = 61_440;

/** Types of queries. 12 to 14 have no number in Ganeti, whose servers do not answer them. */
export const confdTypes = {
  ping: 0,
  nodeRole: 1,
  nodeIpOfInstanceIp: 2,
  clusterMaster: 3,
  nodeIps: 4,
  candidateIps: 5,
  instanceIps: 6,
  nodeDrbd: 7,
  nodeInstances: 8,
  instanceDisks: 9,
  configValue: 10,
  dataCollectors: 11,
  offlineNodes: 12,
  instances: 13,
  instanceNodes: 14,
} as const;
/** Number of a type of query. */
export type ConfdType = (typeof confdTypes)[keyof typeof confdTypes];

/** Keys of a query that is an object. */
export const queryKeys = { link: "0", ip: "1", ips: "2", fields: "3" } as const;

/** Fields of `clusterMaster`: name of the master node, address of the cluster, primary address of the node. */
export const masterFields = { name: 0, clusterIp: 1, nodeIp: 2 } as const;

/** Numbers of the statuses of an answer. */
export const confdStatuses = { ok: 0, error: 1, notImplemented: 2 } as const;

/** The answer of an answer with status `error`, unless that is a text. */
export const confdErrors = { unknownEntry: 0, internal: 1, argument: 2 } as const;

/** Roles of nodes, as answered to `nodeRole`. */
export const confdRoles = { master: 0, candidate: 1, offline: 2, drained: 3, regular: 4 } as const;
