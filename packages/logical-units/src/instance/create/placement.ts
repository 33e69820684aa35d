/** Placement of a new instance: on given nodes, or on those chosen by an allocator. */

import {
  filledDiskparams,
  groupOf,
  groupPolicy,
  type Snapshot,
  specViolations,
  violationText,
} from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { Beparams, ForthcomingDisk, NodeUuid } from "@ganeti-ts/protocol";
import { diskCan, isMirrored } from "@ganeti-ts/protocol";
import { info, warn } from "../../unit/effects.js";
import { namedNode } from "../../unit/nodes.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import { checkDiskSpindles, isExclusive } from "../disks/growth.js";
import type { PlannedDisk } from "../plan/disks.js";
import { askedPlannedNic, type PlannedNic } from "../plan/nics.js";
import {
  checkNodeNotDrained,
  checkNodeOnline,
  checkNodeVmCapable,
} from "../running/node-checks.js";
import type { CreateOp, CreateRequest } from "./request.js";

export interface Placement {
  readonly primary: NodeUuid;
  readonly secondary: NodeUuid | undefined;
}

/** Undefined if no nodes were given. */
export function givenPlacement(
  now: Snapshot,
  op: CreateOp,
  template: string,
): Placement | undefined {
  if (op.pnode === undefined) return undefined;
  const primary = namedNode(now, { node_name: op.pnode, node_uuid: op.pnode_uuid }).uuid;
  if (!isMirrored(template) || op.snode === undefined) return { primary, secondary: undefined };
  return {
    primary,
    secondary: namedNode(now, { node_name: op.snode, node_uuid: op.snode_uuid }).uuid,
  };
}

export interface Sizes {
  readonly beparams: Beparams;
  readonly disks: readonly PlannedDisk[];
  readonly nics: readonly PlannedNic[];
  readonly hypervisor: string;
}

/**
 * Disks as they appear in allocator requests: values that a reservation leaves open become the
 * lowest that some group accepts, because allocators refuse lower ones. O(groups).
 */
export function askedDisks(
  now: Snapshot,
  template: string,
  disks: readonly { readonly size?: number | undefined }[],
): readonly number[] {
  if (template === "diskless") return [];
  const intervals = [...now.groups()].flatMap((group) => groupPolicy(now, group).minmax);
  const least = (key: "disk-count" | "disk-size") =>
    Math.min(...intervals.map(({ min }) => min[key]));
  const open = disks.length > 0 ? disks : Array.from({ length: least("disk-count") }, () => ({}));
  return open.map(({ size }: { readonly size?: number | undefined }) => size || least("disk-size"));
}

/** Asks the allocators. @throws PrereqError `insufficient_resources` */
export async function chosenPlacement(
  context: UnitContext,
  { op, name, template }: CreateRequest,
  { beparams, disks, nics, hypervisor }: Sizes,
): Promise<Placement> {
  const { now } = context;
  const { nodes: chosen } = await context.allocators.allocate(
    { now, caller: context, iallocator: op.iallocator },
    {
      name: name ?? "reservation",
      diskTemplate: template,
      hypervisor,
      memoryMib: beparams.maxmem,
      vcpus: beparams.vcpus,
      spindleUse: beparams.spindle_use,
      disks: (op.forthcoming
        ? askedDisks(now, template, disks)
        : disks.map(({ size }) => size)
      ).map((sizeMib, at) => {
        const { mode = "rw", spindles } = disks[at] ?? {};
        return { sizeMib, mode, spindles };
      }),
      nics: nics.map((nic) => askedPlannedNic(now, nic)),
      os: op.os_type ?? "",
      tags: op.tags,
    },
    { group: op.group_name },
  );
  info(context, `Selected nodes for the instance: ${chosen.join(", ")}`);
  const [primary, secondary] = chosen.map((one) => now.expectNode(one).uuid);
  if (primary === undefined) throw new PrereqError("environment_error", "No node was chosen");
  return { primary, secondary };
}

/** Checks that the nodes can take a new instance with these disks. @throws PrereqError */
export function checkPlacementNodes(
  context: UnitContext,
  { primary, secondary }: Placement,
  template: string,
  disks: readonly Spindled[],
): void {
  const { now } = context;
  const node = now.node(primary);
  const refuseNode = (what: string) => {
    wrongState(`Cannot use ${what} primary node '${node?.name}'`);
  };
  if (node?.offline) refuseNode("offline");
  if (node?.drained) refuseNode("drained");
  if (node?.vm_capable === false) refuseNode("non-vm_capable");
  if (secondary !== undefined) {
    if (secondary === primary) wrongInput("The secondary node cannot be the primary node");
    checkNodeOnline(now, secondary);
    checkNodeNotDrained(now, secondary);
    checkNodeVmCapable(now, secondary);
    if (now.node(secondary)?.group !== node?.group) {
      warn(
        context,
        "The primary and secondary nodes are in two different node groups; the disk parameters" +
          " from the first disk's node group will be used",
      );
    }
  }
  checkSpindles(now, [primary, ...(secondary === undefined ? [] : [secondary])], template, disks);
}

/** The fields of a disk that matter for exclusive storage. */
type Spindled = Pick<ForthcomingDisk, "spindles">;

/**
 * Disks must give their spindles on exclusive storage, and must not elsewhere. @throws PrereqError
 */
export function checkSpindles(
  now: Snapshot,
  nodes: readonly NodeUuid[],
  template: string,
  disks: readonly Spindled[],
): void {
  const isAnyExclusive = nodes.some((uuid) => isExclusive(now, uuid));
  if (isAnyExclusive && !diskCan(template, "spindles")) {
    wrongState(`Disk template ${template} not supported with exclusive storage`);
  }
  for (const { spindles } of disks) checkDiskSpindles(spindles, isAnyExclusive, true);
}

/** Only kvm supports userspace access to disks. @throws PrereqError `wrong_state` */
export function checkDiskAccess(
  now: Snapshot,
  {
    hypervisor,
    primary_node,
  }: { readonly hypervisor?: string | undefined; readonly primary_node?: NodeUuid | undefined },
  template: string,
  given: string | undefined,
): void {
  if (!diskCan(template, "access") || hypervisor === "kvm") return;
  const params = filledDiskparams(now, groupOf(now, primary_node)) as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const access = given ?? params[template]?.access ?? "kernelspace";
  if (access === "kernelspace") return;
  wrongState(`Selected hypervisor (${hypervisor}) cannot be used with ${access} disk access param`);
}

interface PolicySizes {
  readonly maxmem: number | undefined;
  readonly vcpus: number | undefined;
  readonly spindleUse: number | undefined;
  readonly nicCount: number | undefined;
  readonly diskSizes: readonly (number | undefined)[];
  readonly disksUnsaid?: boolean;
}

/**
 * The primary node's group must accept the instance; without a node, at least one group must.
 * @throws PrereqError `wrong_input`
 */
export function checkPolicy(
  now: Snapshot,
  primary: NodeUuid | undefined,
  template: string,
  sizes: PolicySizes,
): void {
  const own = groupOf(now, primary);
  const groups = own === undefined ? [...now.groups()] : [own];
  const violations = groups.map((group) =>
    specViolations(groupPolicy(now, group), {
      memoryMaxMib: sizes.maxmem,
      vcpus: sizes.vcpus,
      nicCount: sizes.nicCount,
      spindleUse: sizes.spindleUse,
      diskSizesMib: sizes.diskSizes,
      diskTypes: sizes.diskSizes.map(() => template),
      disksUnsaid: sizes.disksUnsaid ?? false,
    }),
  );
  const [group] = groups;
  const [first] = violations;
  if (group === undefined || first === undefined) return;
  if (violations.some((one) => one.length === 0)) return;
  wrongInput(violationText(group, first));
}
