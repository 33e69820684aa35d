// Measured series: a request of every kind on clusters where it does real work.
import type {
  AllocatorAnswer,
  AllocatorMessage,
  AllocatorRequest,
  DiskTemplate,
} from "@ganeti-ts/protocol";
import { anInstance } from "@ganeti-ts/testkit";
import { balanceRequestOf } from "../src/index.js";
import type { Sized } from "./benchmark.js";
import { busyCluster, type Mix } from "./cluster.js";

export interface Series extends Sized {
  readonly capacityChecks?: boolean;
  readonly message: (nodeCount: number) => AllocatorMessage;
  /** Number of placements or moves that the answer must contain. */
  readonly placed: (answer: AllocatorAnswer) => number;
  readonly expected: (message: AllocatorMessage) => number;
}

const mirrored: Mix = { fourth: "drbd", others: "drbd" };
const local: Mix = { fourth: "plain", others: "plain" };
const mixed: Mix = { fourth: "ext", others: "drbd" };

const wanted = (name: string, diskTemplate: DiskTemplate) => ({
  instance: anInstance({ name: `${name}.example.com`, memoryMib: 2048, diskTemplate }),
  requiredNodes: diskTemplate === "drbd" ? 2 : 1,
});

function series(
  name: string,
  mix: Mix,
  request: (message: AllocatorMessage["cluster"]) => AllocatorRequest,
  change: Partial<Series> = {},
): Series {
  return {
    name,
    sizes: [20, 200, 2000],
    message: (nodeCount) => {
      const cluster = busyCluster(nodeCount, mix);
      return { cluster, request: request(cluster) };
    },
    placed: ({ result }) => (result as unknown[]).length,
    expected: ({ request: asked }) => (asked.type === "allocate" ? asked.requiredNodes : 1),
    ...change,
  };
}

const allocate = (diskTemplate: DiskTemplate) => (): AllocatorRequest => ({
  type: "allocate",
  ...wanted("new", diskTemplate),
  groupName: undefined,
  restrictToNodes: undefined,
});

/** Evacuations list what was moved first. */
const moves: Partial<Series> = {
  placed: ({ result }) => (result as unknown[][])[0]?.length ?? 0,
  expected: ({ request }) => ("instanceIndices" in request ? request.instanceIndices.length : 0),
};

export const allSeries: readonly Series[] = [
  series("allocate drbd", mirrored, allocate("drbd")),
  series("allocate drbd unchecked", mirrored, allocate("drbd"), { capacityChecks: false }),
  series("allocate plain", mirrored, allocate("plain")),
  series("allocate plain on plain", local, allocate("plain")),
  series("allocate ext", mirrored, allocate("ext")),
  series("allocate drbd, quarter ext", mixed, allocate("drbd")),
  series("relocate", mirrored, ({ instances }) => ({
    type: "relocate",
    instanceIndex: 0,
    requiredNodes: 1,
    relocateFrom: [instances[0]?.secondary ?? -1],
  })),
  series(
    "node-evacuate all",
    mirrored,
    ({ instances }) => ({
      type: "node-evacuate",
      mode: "all",
      instanceIndices: instances.flatMap((one, index) =>
        one.primary === 0 || one.secondary === 0 ? [index] : [],
      ),
    }),
    moves,
  ),
  series(
    "change-group of 20",
    { ...mirrored, groupCount: 2 },
    ({ instances, nodes }) => ({
      type: "change-group",
      instanceIndices: instances
        .flatMap(({ primary }, index) => (nodes[primary]?.groupIndex === 0 ? [index] : []))
        .slice(0, 20),
      targetGroups: [1],
    }),
    moves,
  ),
  series(
    "multi-allocate of 50",
    mirrored,
    () => ({
      type: "multi-allocate",
      wanted: Array.from({ length: 50 }, (_, at) => wanted(`new${at}`, "drbd")),
      groupName: undefined,
    }),
    { placed: moves.placed as Series["placed"], expected: () => 50 },
  ),
  series(
    "capacity, 500 of 128 MiB",
    mirrored,
    () => ({
      type: "capacity",
      instance: anInstance({ name: "one", memoryMib: 128, diskTemplate: "drbd" }),
      requiredNodes: 2,
      groupName: undefined,
      restrictToNodes: undefined,
      countMax: 500,
    }),
    { placed: ({ result }) => (result as unknown[])[0] as number, expected: () => 500 },
  ),
  series("balance, 10 moves", mixed, () => balanceRequestOf({ movesMax: 10 }), {
    sizes: [20, 200, 1000],
    placed: moves.placed as Series["placed"],
    expected: () => 10,
  }),
];
