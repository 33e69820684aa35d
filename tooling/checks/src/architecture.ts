/** Map of the packages: what each folder of packages/ may import in its shipped sources. */
export interface Layer {
  /** Other packages of this repository; each stands above this one on the map. */
  readonly packages: readonly string[];
  /** Third-party packages. Node's own modules count as such: `node:fs`. */
  readonly outside: readonly string[];
  /** Packages that only its tests and benchmarks import. */
  readonly tests?: readonly string[];
}

/** The map of packages, top to bottom: arrows point upward only, and the core does no I/O. */
export const architecture: Readonly<Record<string, Layer>> = {
  protocol: { packages: [], outside: ["zod"] },
  "command-line": { packages: [], outside: [] },
  query: { packages: ["protocol"], outside: ["re2js"] },
  htools: { packages: ["protocol"], outside: [] },
  "job-filter": { packages: ["protocol", "query"], outside: [] },
  locking: { packages: ["protocol"], outside: [] },
  "job-queue": {
    packages: ["protocol", "job-filter", "locking"],
    outside: [],
    // Regular expressions of rules are a port: users of the queue bring the compiler, or do without.
    tests: ["query"],
  },
  "node-calls": { packages: ["protocol"], outside: ["zod"] },
  config: { packages: ["protocol", "node-calls"], outside: ["sorted-btree"] },
  // The door "./at-rest" only needs the configuration.
  "simulated-nodes": { packages: ["protocol", "node-calls", "config"], outside: [] },
  "node-rpc": {
    packages: ["protocol", "node-calls"],
    // One connection for each call, over TLS; the content of files is compressed.
    outside: [
      // Certificates that renew-crypto replaces are read again.
      ...["node:events", "node:fs", "node:http", "node:https", "node:net", "node:tls", "node:zlib"],
      // Messages name the certificate that was refused, with its digest.
      "node:crypto",
    ],
    tests: ["simulated-nodes"],
  },
  machines: {
    packages: ["protocol", "node-calls", "config", "node-rpc"],
    // Scripts run as child processes, here or by ssh; keys and certificates are files.
    outside: [
      ...["node:child_process", "node:crypto", "node:dns/promises", "node:fs", "node:fs/promises"],
      ...["node:net", "node:os", "node:path", "node:timers/promises"],
      ...["@peculiar/x509", "reflect-metadata"],
    ],
  },
  allocators: {
    packages: ["protocol", "htools", "job-queue", "node-calls", "config"],
    // The door "./programs" only: it runs allocators.
    outside: ["node:child_process", "node:fs/promises", "node:os", "node:path"],
  },
  "cluster-queries": {
    packages: ["protocol", "query", "locking", "node-calls", "config"],
    outside: [],
  },
  "logical-units": {
    packages: [
      ...["protocol", "query", "locking", "job-queue", "node-calls", "config"],
      ...["allocators", "cluster-queries"],
    ],
    outside: [],
    tests: ["htools", "simulated-nodes"],
  },
  store: {
    packages: ["protocol", "locking", "job-queue", "config", "simulated-nodes"],
    outside: ["libsql", "pg", "node:fs", "node:path", "node:worker_threads"],
    tests: ["node-calls", "query"],
  },
  confd: {
    packages: ["protocol", "config"],
    // Signed datagrams are bytes; sockets and the key's file are opened in one file each.
    outside: ["zod", "node:crypto", "node:dgram", "node:fs/promises"],
  },
  luxi: {
    packages: ["protocol"],
    // A Unix socket, and its file: an old one is removed, access is its mode.
    outside: ["zod", "node:net", "node:fs/promises"],
  },
  cluster: {
    packages: [
      ...["protocol", "query", "htools", "locking", "job-queue", "node-calls", "config"],
      ...["allocators", "cluster-queries", "logical-units"],
    ],
    outside: ["zod"],
    tests: ["simulated-nodes"],
  },
  takeover: {
    packages: [
      ...["protocol", "job-queue", "node-calls", "config", "node-rpc", "machines", "store"],
      "cluster",
    ],
    // Files, programs and locks of Ganeti on the master.
    outside: [
      ...["zod", "node:child_process", "node:crypto", "node:fs", "node:fs/promises", "node:net"],
      ...["node:os", "node:path", "node:timers/promises"],
    ],
  },
  "rapi-client": {
    packages: ["protocol"],
    outside: ["zod", "node:http", "node:https"],
  },
  twin: {
    packages: [
      ...["protocol", "htools", "job-queue", "node-calls", "config", "simulated-nodes"],
      ...["cluster", "rapi-client"],
    ],
    // Files of another cluster are read.
    outside: ["zod", "node:fs", "node:fs/promises", "node:path"],
  },
  testkit: {
    packages: ["protocol", "node-calls", "config"],
    // The door "./postgres" only: it starts a database for tests, and a relay in front of it.
    outside: [
      "fast-check",
      "node:child_process",
      "node:fs",
      "node:net",
      "node:os",
      "node:path",
      "node:util",
    ],
  },
};

/** Helps tests, ships with nothing: the test kit, and the bench with Debian's Ganeti in tooling/. */
export const testOnly: readonly string[] = ["testkit", "reference"];

/** Entry points besides ".", per folder; each is a decision explained in that package's README. */
export const furtherDoors: Readonly<Record<string, readonly string[]>> = {
  // One driver for each database, so that a program loads only the one it uses.
  store: ["./sqlite", "./postgres"],
  // Browsers have connections of their own; one door is without the schemas, whose making costs the
  // start of a program some milliseconds.
  "rapi-client": ["./browser", "./transport"],
  // Schemas, whose making costs the start of a program some milliseconds; laws for tests of a back end.
  "node-calls": ["./catalog", "./conformance"],
  // Checks against the configuration, for tests of operations.
  "simulated-nodes": ["./at-rest"],
  // Processes are not for browsers.
  allocators: ["./programs"],
  // Without the schemas, for programs of htools that start often and make few calls.
  luxi: ["./calls"],
  // Builders of clusters run anywhere; a database is processes and files. Simulations need no builders, which load fast-check.
  testkit: ["./postgres", "./simulation", "./template-steps", "./configuration"],
};
