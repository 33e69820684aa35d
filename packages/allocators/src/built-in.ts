/** Built-in allocator: the placement core answers in process, like hail. */
import {
  answerInParts,
  type Cluster,
  type InParts,
  type KeptCluster,
  loadCluster,
} from "@ganeti-ts/htools";
import type { AllocatorAnswer, AllocatorRequest } from "@ganeti-ts/protocol";

/** Options in a cluster's default allocator parameters and in requests: values by name, or null. */
export type AllocatorParameters = Readonly<Record<string, string | number | boolean | null>>;

type BuiltIn =
  | { readonly ok: true; readonly answer: AllocatorAnswer }
  | { readonly ok: false; readonly message: string };

/** Answers a request. Parameters that do not apply are refused as by hail. */
export function* answerBuiltIn(
  kept: Pick<KeptCluster, "cluster" | "data">,
  request: AllocatorRequest,
  parameters: AllocatorParameters,
): InParts<BuiltIn> {
  const unknown = Object.keys(parameters).find((name) => !known.has(name));
  if (unknown !== undefined) {
    return { ok: false, message: `Command line error: unrecognized option \`--${unknown}'` };
  }
  const { mond = "no" } = parameters;
  if (mond !== null && !["", "yes", "no"].includes(String(mond))) {
    return { ok: false, message: `Command line error: Invalid value for option --mond: '${mond}'` };
  }
  const memory = parameters["static-kvm-node-memory"];
  const only = parameters["restrict-allocation-to"];
  const { answer } = yield* answerInParts(clusterWith(kept, memory), request, {
    ignoreSoftErrors: "ignore-soft-errors" in parameters,
    capacityChecks: !("no-capacity-checks" in parameters),
    restrictTo: typeof only === "string" ? only.split(",") : undefined,
  });
  return { ok: true, answer };
}

/** The cluster; if the parameter changes the memory of the nodes' own systems, loaded again: O(nodes + instances). */
const clusterWith = (
  kept: Pick<KeptCluster, "cluster" | "data">,
  memory: string | number | boolean | null | undefined,
): Cluster =>
  memory === undefined || memory === null
    ? kept.cluster
    : loadCluster(kept.data, { staticKvmNodeMemoryMib: Number(memory) });

const known: ReadonlySet<string> = new Set([
  "static-kvm-node-memory",
  "restrict-allocation-to",
  "ignore-soft-errors",
  "no-capacity-checks",
  "ignore-dynu",
  // Monitoring daemons are not queried: every node counts as not answering.
  "mond",
  "mond-xen",
  "verbose",
]);
