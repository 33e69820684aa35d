// Limits of bundle sizes in kB (1000 bytes) after esbuild and gzip.

/**
 * All exports of each door together. Three limits are promises: the job queue, the client for browsers, and the
 * smallest import of the protocol below. The others lie some 8 % above what was measured: raise one with a reason.
 */
export const doorBudgets: Readonly<Record<string, number>> = {
  allocators: 97,
  "allocators/programs": 1.5,
  cluster: 404,
  "cluster-queries": 87,
  "command-line": 1.8,
  confd: 40,
  // 3 kB of claims: their schema, their names and nodes, the conversion of those of earlier versions.
  config: 70,
  htools: 92,
  "job-filter": 36,
  "job-queue": 61,
  locking: 10,
  "logical-units": 234,
  luxi: 52,
  "luxi/calls": 33,
  // Types but for 1.1 kB of export descriptions, 0.4 kB of refusing nodes, and the table of paths, which all sides share.
  "node-calls": 2.9,
  "node-calls/catalog": 37,
  "node-calls/conformance": 47,
  // 90 kB make certificates; they are loaded when one is made.
  machines: 130,
  "node-rpc": 49,
  protocol: 70,
  query: 76,
  "rapi-client": 39,
  // 35 KiB.
  "rapi-client/browser": 35.84,
  "rapi-client/transport": 3.5,
  "simulated-nodes": 29,
  // With the configuration, against which it checks the nodes.
  "simulated-nodes/at-rest": 48,
  store: 34,
  "store/sqlite": 39,
  // 1 kB of access records.
  "store/postgres": 54,
  // With certificates, which are loaded when one is made.
  takeover: 160,
  twin: 92,
};

/** Single imports, as a page or a small program makes them. */
export const importBudgets: readonly {
  readonly folder: string;
  readonly names: string;
  readonly kb: number;
}[] = [
  { folder: "protocol", names: "JobId", kb: 20 },
  { folder: "protocol", names: "decodeMessage", kb: 15 },
  { folder: "protocol", names: "RapiInstance", kb: 30 },
  { folder: "htools", names: "loadCluster", kb: 12 },
  { folder: "job-queue", names: "JobQueue", kb: 57 },
];
