/** Reservation of all resources of a new instance, in one step with the check that they fit. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  allocatePort,
  filledDiskparams,
  groupOf,
  newUuid,
  poolChanges,
  put,
  putCluster,
} from "@ganeti-ts/config";
import type {
  ClaimOf,
  ClaimUuid,
  DiskTemplate,
  ForthcomingDisk,
  ForthcomingInstance,
  InstanceUuid,
  NodeUuid,
  RealInstance,
} from "@ganeti-ts/protocol";
import { drbdMetadataMib, isMirrored, usesLvm, usesNodeSpace } from "@ganeti-ts/protocol";
import { putting } from "../../capacity/claim.js";
import { type Demand, take } from "../../capacity/demand.js";
import { volumesOf } from "../../capacity/volumes.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { isExclusive } from "../disks/growth.js";
import type { PlannedDisk } from "../plan/disks.js";
import { forthcomingDisk, generatedDisks, unplacedDisk } from "../plan/disks.js";
import { checkNameFree } from "../plan/names.js";
import { type Allotment, allottedNics, type PlannedNic } from "../plan/nics.js";

/** A new instance before any of its resources are reserved. */
export interface InstancePlan {
  /** Values of the entry itself: parameters, name, tags. */
  readonly entry: Omit<
    ForthcomingInstance,
    "uuid" | "forthcoming" | "nics" | "disks" | "network_port"
  >;
  readonly template: DiskTemplate;
  readonly disks: readonly PlannedDisk[];
  readonly nics: readonly PlannedNic[];
  readonly primary: NodeUuid | undefined;
  readonly secondary: NodeUuid | undefined;
  readonly directory: string;
  readonly driver: string;
  readonly conflictsCheck: boolean;
}

export interface Reserved {
  readonly instance: ForthcomingInstance;
  readonly disks: readonly ForthcomingDisk[];
  /** Lines for the job's log, about the instance and about its future disks. */
  readonly notes: readonly string[];
  readonly diskNotes: readonly string[];
}

/** Whether a reservation names sizes, which some node has to keep free. */
export const asksForResources = ({
  entry: { beparams = {} },
  disks,
}: {
  readonly entry: { readonly beparams?: object | undefined };
  readonly disks: readonly { readonly size?: number | undefined }[];
}): boolean =>
  ["maxmem", "minmem", "memory", "vcpus"].some((name) => Object.hasOwn(beparams, name)) ||
  disks.some(({ size = 0 }) => size > 0);

/** Hypervisors whose instances have a console port. */
export const needsPort: ReadonlySet<string> = new Set(["kvm", "xen-hvm"]);

/** NICs with addresses and MAC addresses that are free in the current state. @throws PrereqError, ConfigError */
export const nicsOfPlan = (
  { now, config }: UnitContext,
  { nics, primary, conflictsCheck }: InstancePlan,
): Allotment => allottedNics(now, config.random, nics, primary, conflictsCheck);

/** Changes that add the plan to the configuration from the current state: as a reservation, or as the claim of a creation. */
function reservation(
  context: UnitContext,
  plan: InstancePlan,
  as: "reservation" | "creation",
): { readonly changes: readonly ConfigChange[]; readonly value: Reserved } {
  const { now } = context;
  const { random } = context.config;
  const { primary, secondary, template } = plan;
  checkNameFree(now, plan.entry.name);
  const uuid = newUuid<InstanceUuid>(now, random);
  const { nics, notes } = nicsOfPlan(context, plan);
  const isUnnamed = plan.directory !== "" && plan.entry.name === undefined;
  const directory = isUnnamed ? `${plan.directory}/${uuid}` : plan.directory;
  const place = { instance: uuid, template, directory, driver: plan.driver };
  const isPlaced = primary !== undefined && (!isMirrored(template) || secondary !== undefined);
  const made = isPlaced
    ? generatedDisks(now, random, plan.disks, { primary, secondary, baseIndex: 0, ...place })
    : { disks: [], cluster: now.cluster, notes: [] };
  const disks = isPlaced
    ? made.disks.map((disk) => forthcomingDisk(disk, true))
    : plan.disks.map((disk, at) => unplacedDisk(now, random, template, disk, at));
  const wantsPort = isPlaced && needsPort.has(plan.entry.hypervisor ?? "");
  const ported = wantsPort ? allocatePort(made.cluster) : undefined;
  const cluster = ported?.cluster ?? made.cluster;
  const instance: ForthcomingInstance = {
    ...plan.entry,
    uuid,
    forthcoming: true,
    nics,
    disks: disks.map((disk) => disk.uuid),
    ...(primary === undefined ? {} : { primary_node: primary }),
    ...(ported === undefined ? {} : { network_port: ported.port }),
  };
  const reserved: readonly ConfigChange[] = [
    ...disks.map((object) => put("disk", object)),
    put("instance", instance),
  ];
  const changes: ConfigChange[] = [
    ...(as === "reservation" ? reserved : [putting(claimOfCreation(context, instance, disks))]),
    ...(cluster === now.cluster ? [] : [putCluster(cluster)]),
    ...poolChanges(now, [], nics),
  ];
  return { changes, value: { instance, disks, notes: notes.map(asInfo), diskNotes: made.notes } };
}

/** Under the UUID of the instance. */
const claimOfCreation = (
  { jobId: job }: Pick<UnitContext, "jobId">,
  instance: ForthcomingInstance,
  disks: readonly ForthcomingDisk[],
): ClaimOf<"creation"> => ({
  ...{ kind: "creation", uuid: instance.uuid as string as ClaimUuid, job, instance, disks },
});

/** The claim of the job that creates the instance. */
export function creationOf(now: Snapshot, uuid: InstanceUuid): ClaimOf<"creation"> | undefined {
  const claim = now.get("claim", uuid);
  return claim?.kind === "creation" ? claim : undefined;
}

const asInfo = (text: string) => ` - INFO: ${text}`;

/** Resources that the plan takes of its nodes. */
export function demandsOf(
  now: Snapshot,
  plan: InstancePlan,
  { memoryMib, vcpus, spindleUse, purpose, reserves }: PlannedSizes,
): readonly Demand[] {
  const { primary, secondary, template, disks } = plan;
  if (primary === undefined) return [];
  // Without a hypervisor any one serves: all report the same memory of a node.
  const hypervisor = plan.entry.hypervisor ?? now.cluster.enabled_hypervisors[0] ?? "";
  const volumes = plannedVolumes(now, primary, template, disks);
  const memory = memoryMib === undefined ? {} : { memory: { mib: memoryMib, hypervisor, purpose } };
  const ownUse = usesLvm(template) ? spindleUse : 0;
  const limits = { spindleUse: ownUse, purpose, reserves, vcpus: 0 };
  const wanted = disks.reduce((sum, disk) => sum + (disk.spindles ?? 0), 0);
  const spindles = isExclusive(now, primary) ? wanted : 0;
  return [
    { node: primary, volumes, ...memory, spindles, limited: { ...limits, vcpus: vcpus ?? 0 } },
    ...(secondary === undefined ? [] : [{ node: secondary, volumes, limited: limits }]),
  ];
}

interface PlannedSizes {
  /** Undefined for an instance that is not started. */
  readonly memoryMib: number | undefined;
  readonly vcpus: number | undefined;
  readonly spindleUse: number;
  readonly purpose: string;
  /** Whether the sizes are those of a reservation. */
  readonly reserves: boolean;
}

/** Storage that new disks take of each node; adopted volumes take no free space. */
export function plannedVolumes(
  now: Snapshot,
  primary: NodeUuid,
  template: DiskTemplate,
  disks: readonly PlannedDisk[],
): ReadonlyMap<string, number> {
  if (!usesNodeSpace(template)) return new Map();
  const dev_type = usesLvm(template) ? "plain" : "file";
  const metaGroup = String(filledDiskparams(now, groupOf(now, primary)).drbd?.metavg);
  return volumesOf(
    disks
      .filter(({ adopt }) => adopt === undefined)
      .flatMap(({ vg, metavg = metaGroup, size }) => [
        { dev_type, logical_id: [vg], size },
        ...(template === "drbd" ? [{ dev_type, logical_id: [metavg], size: drbdMetadataMib }] : []),
      ]),
  );
}

/** Reserves everything in one step, or refuses. */
export const reserve = (
  world: World,
  plan: InstancePlan,
  demands: readonly Demand[],
  as: "reservation" | "creation",
): Promise<Reserved> =>
  take(world, { demands, decide: (now) => reservation(contextAt(world, now), plan, as) });

/** The real instance made from a complete reservation. */
export function realInstance(reserved: ForthcomingInstance): RealInstance {
  const { forthcoming: _, disk_template: __, ...rest } = reserved;
  return rest as unknown as RealInstance;
}
