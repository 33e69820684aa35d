/** Where instances could go, and how balanced the cluster is: questions that change nothing. */

import {
  type Allocators,
  type Asking,
  type Balance,
  type Capacity,
  type WantedInstance,
  wantedEntry,
} from "@ganeti-ts/allocators";
import type { Configuration } from "@ganeti-ts/config";
import { explainRequest, loadCluster } from "@ganeti-ts/htools";
import { OperationError } from "@ganeti-ts/job-queue";
import {
  decodeMessage,
  type Explanation,
  type JsonObject,
  type OpcodeOf,
  parseSize,
} from "@ganeti-ts/protocol";
import { nobody } from "./asking-nodes.js";
import { HttpFault } from "./http/fault.js";

/** An instance that nobody has made, by the parameters that an opcode gives. */
export type Planned = OpcodeOf<"OP_CLUSTER_CAPACITY">;

export interface Planner {
  /** Every candidate, and why the best one is. */
  explain(planned: Planned): Promise<Explanation>;
  /** How many of them fit, and where each goes. */
  capacity(planned: Planned): Promise<Capacity>;
  /** Moves that balance a group; a negative number is no limit. */
  balance(group: string | null, movesMax: number): Promise<Balance>;
}

export function createPlanner(config: Configuration, allocators: Allocators): Planner {
  const asking = (iallocator?: string): Asking => ({
    ...{ now: config.snapshot, caller: nobody, iallocator },
  });
  return {
    explain: (planned) =>
      told(async () => {
        const text = await allocators.message(asking(), {
          ...{ type: "allocate", ...wantedEntry(wantedOf(config, planned)) },
          group_name: planned.group_name ?? null,
        });
        const message = decodeMessage(new TextEncoder().encode(text));
        const settings = { ignoreSoftErrors: false, capacityChecks: true };
        return explainRequest(loadCluster(message.cluster), message.request, settings);
      }),
    capacity: (planned) =>
      told(() =>
        allocators.capacity(asking(planned.iallocator), wantedOf(config, planned), {
          ...{ group: planned.group_name, countMax: planned.max_count },
        }),
      ),
    balance: (group, movesMax) => told(() => allocators.balance(asking(), group, movesMax)),
  };
}

/** What has no answer is the asker's matter. */
async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new HttpFault(400, error.message, {}, { cause: error });
  }
}

/** With the cluster's defaults for what is not said. */
function wantedOf({ snapshot }: Configuration, planned: Planned): WantedInstance {
  const { cluster } = snapshot;
  const given = { ...planned.beparams };
  const { maxmem, vcpus, spindle_use } = {
    ...cluster.beparams.default,
    ...given,
    ...("memory" in given ? { maxmem: given.memory } : {}),
  } as JsonObject;
  return {
    name: "planned",
    memoryMib: numberOf(maxmem),
    vcpus: numberOf(vcpus),
    spindleUse: numberOf(spindle_use),
    diskTemplate: planned.disk_template ?? cluster.enabled_disk_templates[0] ?? "diskless",
    disks: planned.disks.map(({ size = 0, spindles }) => ({ sizeMib: size, spindles })),
    nics: planned.nics.map(({ mac, ip, network }) => ({
      ...{ mac: mac ?? null, ip: ip ?? null, network: network ?? null },
    })),
    os: planned.os_type ?? "",
    hypervisor: planned.hypervisor ?? cluster.enabled_hypervisors[0] ?? "fake",
    tags: planned.tags,
  };
}

const numberOf = (value: unknown): number =>
  typeof value === "string" ? (parseSize(value) ?? 0) : Number(value);
