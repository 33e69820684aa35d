/** Disks of new instances: plans from opcodes, and the disk objects made from plans. */
import {
  allocatePort,
  drbdMinors,
  drbdSecret,
  filledDiskparams,
  groupOf,
  newUuid,
  type Snapshot,
} from "@ganeti-ts/config";
import {
  type ClusterObject,
  type DiskTemplate,
  type DiskType,
  type DiskUuid,
  diskCan,
  diskTraits,
  drbdMetadataMib,
  type ForthcomingDisk,
  type InstanceUuid,
  isUnmirrored,
  type NodeUuid,
  type OpcodeDisk,
  type ParameterValue,
  type Random,
  type RealDisk,
  sizeText,
  usesLvm,
} from "@ganeti-ts/protocol";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import { mistyped } from "../parameters/parameter-types.js";
import { isNone, joinedPath } from "./names.js";

/** Disk parameter that holds the original name of an adopted volume. */
export const adoptedMark = "adopted";

/** Sizes in MiB; 0 where a reservation leaves the size open. */
export interface PlannedDisk {
  readonly size: number;
  readonly mode: "rw" | "ro";
  readonly vg: string;
  readonly metavg: string | undefined;
  readonly name: string | undefined;
  readonly adopt: string | undefined;
  readonly spindles: number | undefined;
  readonly access: string | undefined;
  readonly provider: string | undefined;
  /** Parameters of the provider of external storage. */
  readonly params: Readonly<Record<string, ParameterValue>>;
}

const ownKeys: ReadonlySet<string> = new Set([
  ...["size", "mode", "adopt", "vg", "metavg", "name", "provider", "spindles", "access", "uuid"],
]);

/** @throws PrereqError `wrong_input`. `sizes`: whether each disk must have a size. */
export function plannedDisk(
  given: OpcodeDisk,
  template: DiskTemplate,
  volumeGroup: string,
  needsSize = true,
): PlannedDisk {
  const { mode = "rw", size, name, provider } = given;
  const params = Object.entries(given).filter(([key]) => !ownKeys.has(key));
  if (params.length > 0 && template !== "ext") {
    throw mistyped(`Unknown parameter '${params[0]?.[0]}'`);
  }
  if (mode !== "rw" && mode !== "ro") wrongInput(`Invalid disk access mode '${mode}'`);
  if (size === undefined && needsSize && given.adopt === undefined) wrongInput("Missing disk size");
  if (provider !== undefined && template !== "ext") {
    wrongInput(`The 'provider' option is only valid for the ext disk template, not ${template}`);
  }
  if (provider === undefined && template === "ext") {
    wrongInput("Missing provider for template 'ext'");
  }
  return {
    size: size ?? 0,
    mode: mode as "rw" | "ro",
    vg: given.vg ?? volumeGroup,
    metavg: given.metavg,
    name: isNone(name) ? undefined : name,
    adopt: given.adopt,
    spindles: given.spindles,
    provider,
    access: diskCan(template, "access") ? given.access : undefined,
    params: Object.fromEntries(params) as Record<string, ParameterValue>,
  };
}

/**
 * A disk without a node records its request and takes no resources. The rest of the plan is stored
 * among its parameters, where `plannedAgain` finds it.
 */
export function unplacedDisk(
  now: Snapshot,
  random: Random,
  template: DiskTemplate,
  plan: PlannedDisk,
  at: number,
): ForthcomingDisk {
  const { size, mode, name, spindles, vg, metavg, provider, access, params } = plan;
  const stored = {
    ...params,
    ...(usesLvm(template) && vg !== now.cluster.volume_group_name ? { vg } : {}),
    ...(metavg === undefined ? {} : { metavg }),
    ...(provider === undefined ? {} : { provider }),
    ...(access === undefined ? {} : { access }),
  };
  return {
    uuid: newUuid(now, random),
    forthcoming: true,
    nodes: [],
    children: [],
    dev_type: template as DiskType,
    iv_name: `disk/${at}`,
    mode,
    ...(size > 0 ? { size } : {}),
    ...(name === undefined ? {} : { name }),
    ...(spindles === undefined ? {} : { spindles }),
    ...(Object.keys(stored).length === 0 ? {} : { params: stored }),
  };
}

/** The plan of a forthcoming disk, whether it has nodes or not. */
export function plannedAgain(disk: ForthcomingDisk, volumeGroup: string): PlannedDisk {
  const { dev_type: type, children, logical_id: id } = disk;
  const {
    [adoptedMark]: _,
    vg: storedGroup,
    metavg,
    provider,
    access,
    ...params
  } = disk.params ?? {};
  const [data = disk, meta] = children;
  const own = data.dev_type === "plain" ? data.logical_id?.[0] : undefined;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    size: disk.size ?? 0,
    mode: disk.mode ?? "rw",
    name: disk.name,
    spindles: disk.spindles,
    vg: text(own) ?? text(storedGroup) ?? volumeGroup,
    metavg: text(meta?.logical_id?.[0]) ?? text(metavg),
    provider: type === "ext" ? (text(id?.[0]) ?? text(provider)) : undefined,
    adopt: undefined,
    access: text(access),
    params,
  };
}

/** The disk with its children marked as forthcoming, or as real. */
export function forthcomingDisk(disk: RealDisk | ForthcomingDisk, isToCome: true): ForthcomingDisk;
export function forthcomingDisk(disk: RealDisk | ForthcomingDisk, isToCome: false): RealDisk;
export function forthcomingDisk(
  disk: RealDisk | ForthcomingDisk,
  isToCome: boolean,
): RealDisk | ForthcomingDisk {
  const { forthcoming: _, children, params: given = {}, ...rest } = disk;
  const mark = isToCome ? { forthcoming: true } : {};
  const { [adoptedMark]: __, ...params } = given;
  return Object.assign(rest, mark, {
    params: isToCome ? given : params,
    children: children.map(({ forthcoming: ___, ...child }) => Object.assign(child, mark)),
  }) as RealDisk | ForthcomingDisk;
}

export interface DiskPlace {
  readonly instance: InstanceUuid;
  readonly template: DiskTemplate;
  readonly primary: NodeUuid;
  readonly secondary: NodeUuid | undefined;
  /** Index of the first of these disks. */
  readonly baseIndex: number;
  /** Folder of disks in files. */
  readonly directory: string;
  readonly driver: string;
}

export interface GeneratedDisks {
  readonly disks: readonly RealDisk[];
  /** The cluster without the allocated ports. */
  readonly cluster: ClusterObject;
  readonly notes: readonly string[];
}

/** Disk objects with new UUIDs, names, ports, minors and secrets from the current configuration. */
export function generatedDisks(
  now: Snapshot,
  random: Random,
  planned: readonly PlannedDisk[],
  place: DiskPlace,
  before: ClusterObject = now.cluster,
): GeneratedDisks {
  const { template, primary, secondary } = place;
  const notes: string[] = [];
  let cluster = before;
  const pairs = template === "drbd" && secondary !== undefined ? [primary, secondary] : [];
  const minors = drbdMinors(
    now,
    planned.flatMap(() => pairs),
  );
  const disks = planned.map((plan, at): RealDisk => {
    const index = place.baseIndex + at;
    const common = {
      uuid: newUuid<DiskUuid>(now, random),
      size: plan.size,
      mode: plan.mode,
      iv_name: `disk/${index}`,
      ...(plan.name === undefined ? {} : { name: plan.name }),
    };
    if (template === "drbd" && secondary !== undefined) {
      const allocated = allocatePort(cluster);
      cluster = allocated.cluster;
      const nodes: [NodeUuid, NodeUuid] = [primary, secondary];
      const prefix = `${newUuid(now, random)}.disk${index}`;
      const metavg =
        plan.metavg ?? String(filledDiskparams(now, groupOf(now, primary)).drbd?.metavg);
      const volume = (vg: string, suffix: string, size: number) => ({
        uuid: newUuid<DiskUuid>(now, random),
        dev_type: "plain" as const,
        size,
        nodes,
        logical_id: [vg, `${prefix}_${suffix}`],
        params: {},
      });
      const pair = [minors[at * 2] ?? 0, minors[at * 2 + 1] ?? 0];
      return {
        dev_type: "drbd",
        nodes,
        params: plan.adopt === undefined ? {} : { [adoptedMark]: plan.adopt },
        logical_id: [primary, secondary, allocated.port, ...pair, drbdSecret(now, random)],
        children: [volume(plan.vg, "data", plan.size), volume(metavg, "meta", drbdMetadataMib)],
        ...common,
      };
    }
    notes.push(`* disk ${index}, size ${sizeText(plan.size)}`);
    const type = template as DiskType;
    return {
      dev_type: type,
      children: [],
      logical_id: logicalId(
        type,
        plan,
        place,
        `${newUuid(now, random)}${suffixes[type]}.disk${index}`,
        index,
      ),
      nodes: isUnmirrored(type) ? [primary] : [],
      params: {
        ...(type === "ext" ? { provider: plan.provider ?? "", ...plan.params } : {}),
        ...(plan.access === undefined ? {} : { access: plan.access }),
        // Only until the disk is real: rolling back must return an adopted volume instead of
        // removing it.
        ...(type === "plain" && plan.adopt !== undefined ? { [adoptedMark]: plan.adopt } : {}),
      },
      ...common,
      ...(plan.spindles === undefined ? {} : { spindles: plan.spindles }),
    };
  });
  return { disks, cluster, notes };
}

/** What stands in the names of disks after the UUID. */
const suffixes: Readonly<Record<DiskType, string>> = {
  plain: "",
  drbd: "",
  rbd: ".rbd",
  ext: ".ext",
  file: ".file",
  sharedfile: ".sharedfile",
  blockdev: "",
  gluster: "",
};

function logicalId(
  type: DiskType,
  plan: PlannedDisk,
  { instance, directory, driver }: DiskPlace,
  name: string,
  index: number,
): RealDisk["logical_id"] {
  switch (type) {
    case "plain":
      return [plan.vg, name];
    case "file":
    case "sharedfile":
      return [driver, `${directory}/${name}`];
    case "gluster":
      return [driver, `ganeti/${instance}.${index}`];
    case "blockdev":
      return ["manual", plan.adopt ?? ""];
    case "rbd":
      return ["rbd", name];
    case "ext":
      return [plan.provider ?? "", name];
    case "drbd":
      throw new Error("a drbd disk has a secondary node");
  }
}

/** Folder for the disks of a file-based template; empty for other templates. @throws PrereqError */
export function fileDirectory(
  { cluster }: Snapshot,
  template: DiskTemplate,
  instanceName: string | undefined,
  below: string | undefined,
): string {
  const { directory } = diskTraits[template];
  if (directory === undefined) return "";
  const base = cluster[directory];
  if (base === "") {
    wrongState(`Cluster file storage dir for '${template}' storage type not defined`);
  }
  const name = template === "gluster" ? undefined : instanceName;
  const parts = [below ?? [], name ?? []].flat().filter((part) => part !== "");
  return joinedPath([base, ...parts]);
}
