/** Hypothetical instances of questions about placement, completed and resolved as a creation does it. */
import type { WantedInstance } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import { type JsonObject, type OpcodeOf, parseSize } from "@ganeti-ts/protocol";
import { askedNic } from "../instance/create/asked-nics.js";
import { isNone } from "../instance/create/names.js";

/** An instance, by parameters of that opcode; absent ones have the cluster's defaults. */
export type Planned = Partial<Omit<OpcodeOf<"OP_CLUSTER_CAPACITY">, "OP_ID">>;

/** Networks may be given by name. Disks without a size count as empty. @throws ConfigError for an unknown network */
export function wantedInstance(now: Snapshot, name: string, planned: Planned): WantedInstance {
  const { cluster } = now;
  const { disks = [], nics = [], tags = [] } = planned;
  const given = { ...planned.beparams };
  const { maxmem, vcpus, spindle_use } = {
    ...cluster.beparams.default,
    ...("memory" in given ? { maxmem: given.memory } : {}),
    ...given,
  } as JsonObject;
  return {
    name,
    memoryMib: numberOf(maxmem),
    vcpus: numberOf(vcpus),
    spindleUse: numberOf(spindle_use),
    diskTemplate: planned.disk_template ?? cluster.enabled_disk_templates[0] ?? "diskless",
    disks: disks.map(({ size = 0, spindles }) => ({ sizeMib: numberOf(size), spindles })),
    nics: nics.map(({ network, ...nic }) => {
      const uuid = isNone(network) ? network : now.expectNetwork(network).uuid;
      return askedNic(now, { ...nic, network: uuid });
    }),
    os: planned.os_type ?? "",
    hypervisor: planned.hypervisor ?? cluster.enabled_hypervisors[0] ?? "",
    tags,
  };
}

const numberOf = (value: unknown): number =>
  typeof value === "string" ? (parseSize(value) ?? 0) : Number(value);
