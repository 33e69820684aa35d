/**
 * Claims as earlier versions stored them: forthcoming instances with `held_by`, whose kind is in their OS parameters, and
 * disks of the configuration.
 */

import { type Claim, type ClaimedSpace, type JobId, usesLvm } from "@ganeti-ts/protocol";
import { fileStorage } from "./forthcoming/reserved.js";
import { type ConfigChange, type ConfigurationContent, put, removal } from "./objects.js";
import { readClaim } from "./rows.js";

type Marks = Readonly<Record<string, string | undefined>>;

interface FormerEntry {
  readonly uuid: string;
  readonly held_by: JobId;
  readonly name?: string;
  readonly network_port?: number;
  readonly primary_node?: string;
  readonly os?: string;
  readonly nics: readonly unknown[];
  readonly disks: readonly string[];
  readonly beparams?: { readonly [name: string]: number };
  readonly osparams?: Marks;
  readonly osparams_private?: Marks;
}

interface FormerDisk {
  readonly uuid: string;
  readonly dev_type?: string;
  readonly logical_id?: readonly unknown[];
  readonly size?: number;
  readonly spindles?: number;
  readonly params?: Marks;
}

const isFormer = (instance: object): instance is FormerEntry =>
  "held_by" in instance && instance.held_by !== undefined;

/**
 * Changes that replace the claims of an earlier version by objects of their own; none if there are none. O(instances).
 * @throws ConfigError `wrong_input` for an entry that makes no claim
 */
export function conversionChanges(content: ConfigurationContent): readonly ConfigChange[] {
  const entries = (content.instances as readonly object[]).filter(isFormer);
  if (entries.length === 0) return [];
  const owned = new Set(entries.flatMap(({ disks }) => disks));
  const disks = content.disks.filter(({ uuid }) => owned.has(uuid));
  return [
    ...claimsOfEntries(entries, disks).map((object) => put("claim", object)),
    ...entries.map(({ uuid }) => removal("instance", uuid)),
    ...disks.map(({ uuid }) => removal("disk", uuid)),
  ];
}

/** @throws ConfigError `wrong_input` for an entry that makes no claim */
export function claimsOfEntries(
  entries: readonly unknown[],
  disks: readonly unknown[],
): readonly Claim[] {
  const all = entries as readonly FormerEntry[];
  const byUuid = new Map((disks as readonly FormerDisk[]).map((disk) => [disk.uuid, disk]));
  const disksOf = ({ disks: own }: FormerEntry) => own.flatMap((uuid) => byUuid.get(uuid) ?? []);
  const others = all.filter(({ osparams }) => osparams?.commits === undefined);
  const commits = new Map<string, FormerEntry[]>();
  for (const entry of all) {
    if (entry.osparams?.commits === undefined) continue;
    const key = `${entry.held_by} ${entry.osparams.commits}`;
    commits.set(key, [...(commits.get(key) ?? []), entry]);
  }
  return [
    ...others.map((entry) => otherClaim(entry, disksOf(entry))),
    ...Array.from(commits.values(), (parts) => commitOf(parts, disksOf)),
  ].map(readClaim);
}

/** A claim of any kind but a commit. */
function otherClaim(entry: FormerEntry, disks: readonly FormerDisk[]): unknown {
  const { uuid, held_by: job, primary_node: node, osparams = {} } = entry;
  const common = { uuid, job };
  if (osparams.removal !== undefined) {
    const left = disks.map(leftDisk);
    return { kind: "removal", ...common, node, disks: left, ...runningOf(osparams) };
  }
  if (osparams.export !== undefined) {
    return { kind: "export", ...common, node, instanceName: osparams.export };
  }
  if (osparams.recreation !== undefined) {
    return { kind: "recreation", ...common, node, disks: osparams.recreation.split(" ") };
  }
  if (entry.name !== undefined || entry.os !== undefined) {
    const { held_by: _, ...instance } = entry;
    return { kind: "creation", ...common, instance, disks };
  }
  const isBegun = osparams.idle === undefined;
  const named = disks.filter((disk) => !isUnnamed(disk)).map(({ spindles: _, ...disk }) => disk);
  return { kind: "space", ...common, ...spaceOf(entry, disks), disks: named, isBegun };
}

/** The entries that one job held to make one reservation real. */
function commitOf(
  entries: readonly FormerEntry[],
  disksOf: (entry: FormerEntry) => readonly FormerDisk[],
): unknown {
  const names = entries.find(({ primary_node: node }) => node === undefined);
  const [first = names] = entries;
  const former = names?.osparams_private?.former;
  return {
    kind: "commit",
    uuid: (names ?? first)?.uuid,
    job: first?.held_by,
    reservation: first?.osparams?.commits,
    ...(former === undefined ? {} : { former: JSON.parse(former) }),
    names: {
      ...(names?.name === undefined ? {} : { name: names.name }),
      ...(names?.network_port === undefined ? {} : { network_port: names.network_port }),
      nics: names?.nics ?? [],
      disks: names === undefined ? [] : disksOf(names),
    },
    spaces: entries
      .filter(({ primary_node: node }) => node !== undefined)
      .map((entry) => spaceOf(entry, disksOf(entry))),
    isBegun: entries.every(({ osparams }) => osparams?.idle === undefined),
  };
}

function runningOf({ runs }: Marks): object {
  if (runs === undefined) return {};
  const [hypervisor, name, state] = runs.split(" ");
  return { running: { hypervisor, name, isBeingStopped: state !== undefined } };
}

/** Old copies of disks and files of disks were marked by parameters. */
function leftDisk(disk: FormerDisk): unknown {
  const { "replaced-disk": copyOf, "moved-disk": fileOf, ...params } = disk.params ?? {};
  return {
    ...disk,
    ...(disk.params !== undefined && { params }),
    ...(copyOf !== undefined && { copyOf }),
    ...(fileOf !== undefined && { fileOf }),
  };
}

/** Space without named devices was held by disks under names that no device has. */
const isUnnamed = ({ logical_id: id }: FormerDisk): boolean => String(id?.[1]).endsWith(".claim");

function spaceOf(
  { primary_node: node, beparams = {} }: FormerEntry,
  disks: readonly FormerDisk[],
): Omit<ClaimedSpace, "node"> & { readonly node: string | undefined } {
  const diskMib: Record<string, number> = {};
  for (const { dev_type, logical_id, size = 0 } of disks.filter(isUnnamed)) {
    const group = dev_type === "file" ? fileStorage : String(logical_id?.[0]);
    diskMib[group] = (diskMib[group] ?? 0) + size;
  }
  const hasVolumes = disks.some(({ dev_type }) => usesLvm(dev_type));
  return {
    ...{ node, memoryMib: beparams.maxmem ?? 0, vcpus: beparams.vcpus ?? 0, diskMib },
    spindleUse: hasVolumes ? (beparams.spindle_use ?? 0) : 0,
    diskSpindles: disks.reduce((sum, { spindles = 0 }) => sum + spindles, 0),
  };
}
