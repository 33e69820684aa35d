/** Reader and writer of Ganeti's `config.data`: one JSON object with the whole configuration. */

import type { Json, Random } from "@ganeti-ts/protocol";
import {
  ClusterObject,
  DiskObject,
  FilterRule,
  GroupObject,
  InstanceObject,
  NetworkObject,
  NodeObject,
  parseJson,
  writeJson,
} from "@ganeti-ts/protocol";
import { ConfigError, wrongInput } from "../config-error.js";
import { configVersion } from "../defaults.js";
import type { ConfigurationContent } from "../objects.js";
import { fillCluster, fillObjects } from "./filling.js";
import { isRaw, type Raw, rawIn } from "./raw.js";
import { upgrade } from "./upgrade.js";

/** Content of a `config.data` file, and the filter rules that it contains. */
export interface ConfigFile {
  readonly content: ConfigurationContent;
  /** Rules of the job queue, which stores them itself. */
  readonly filters: readonly FilterRule[];
}

/** Options of `readConfigFile`. */
interface ReadOptions {
  /** Upgrade a file of an older version instead of refusing it. */
  readonly upgrade?: boolean;
  /** Source of missing UUIDs. */
  readonly random: Random;
  /** Seconds since the epoch: the creation time of objects added by an upgrade. */
  readonly now: number;
}

/** Versions with the same format. */
const currentVersions = [3_000_000, 3_010_000];
const oldestVersion = 2_000_000;
const newestOldVersion = 2_160_000;

/**
 * Accepts or refuses a whole file. Keys unknown to older versions get their defaults; an unknown key is an
 * error. Versions 3.0 and 3.1 are current; files from version 2.0 on can be upgraded. @throws ConfigError
 * `wrong_input`
 */
export function readConfigFile(text: string, options: ReadOptions): ConfigFile {
  const file = parsed(text);
  const version = Number.isInteger(file.version) ? Number(file.version) : Number.NaN;
  if (!currentVersions.includes(version)) {
    const isOld = version >= oldestVersion && version < newestOldVersion + 10_000;
    if (!isOld || options.upgrade !== true) {
      wrongInput(
        `Cluster configuration version mismatch, got ${String(file.version)} instead of ${configVersion}`,
      );
    }
    checkMaps(file, ["cluster", "nodes", "instances"]);
    upgrade(file, options.random, options.now);
    file.version = configVersion;
  }
  checkMaps(file, ["cluster", "nodes", "nodegroups", "instances", "disks"]);
  fillCluster(file, options.random);
  fillObjects(file, options.random);
  const { version: found, serial_no, ctime, mtime, ...maps } = file;
  for (const key of Object.keys(maps)) {
    if (key !== "cluster" && !mapKeys.includes(key)) throw unsupported("ConfigData", key);
  }
  const content: ConfigurationContent = {
    version: Number(found),
    serial: number("serial_no", serial_no ?? 1),
    ctime: number("ctime", ctime ?? 0),
    mtime: number("mtime", mtime ?? 0),
    cluster: checked("Cluster", ClusterObject, file.cluster) as ClusterObject,
    nodes: all(file, "nodes", "Node", NodeObject) as NodeObject[],
    groups: all(file, "nodegroups", "NodeGroup", GroupObject) as GroupObject[],
    instances: all(file, "instances", "Instance", InstanceObject) as InstanceObject[],
    disks: all(file, "disks", "Disk", DiskObject) as DiskObject[],
    networks: all(file, "networks", "Network", NetworkObject) as NetworkObject[],
  };
  checkReferences(content);
  return {
    content,
    filters: all(file, "filters", "FilterRule", FilterRule) as FilterRule[],
  };
}

/** Without one of these objects would be lost in silence. */
function checkMaps(file: Raw, keys: readonly string[]): void {
  const missing = keys.find((key) => !isRaw(file[key]));
  if (missing === undefined) return;
  wrongInput(`Can't find the '${missing}' key in the configuration!`);
}

function number(key: string, value: unknown): number {
  if (typeof value === "number") return value;
  wrongInput(`'${key}' is not a number: ${String(value)}`);
}

/** Refuses what Ganeti's loader refuses: a master, or a node's group, that is not in the file. */
function checkReferences({ cluster, nodes, groups }: ConfigurationContent): void {
  if (!nodes.some(({ uuid }) => uuid === cluster.master_node)) {
    wrongInput(
      `The configuration denotes node ${cluster.master_node} as master, but does not contain information about this node`,
    );
  }
  const known = new Set<string>(groups.map(({ uuid }) => uuid));
  const lost = nodes.find(({ group }) => !known.has(group));
  if (lost !== undefined) wrongInput(`Node '${lost.name}' has invalid group '${lost.group}'`);
}

const mapKeys = ["nodes", "nodegroups", "instances", "networks", "disks", "filters"];

/** The configuration as text, for Ganeti and for `readConfigFile`; claims are left out. */
export function writeConfigFile(
  content: ConfigurationContent,
  filters: readonly FilterRule[] = [],
): string {
  const parts: Readonly<Record<string, unknown>> = {
    version: content.version,
    cluster: content.cluster,
    nodes: byUuid(content.nodes),
    nodegroups: byUuid(content.groups),
    instances: byUuid(content.instances),
    networks: byUuid(content.networks),
    disks: byUuid(content.disks),
  };
  const rest = { ctime: content.ctime, mtime: content.mtime, serial_no: content.serial };
  const head = JSON.stringify(parts).slice(0, -1);
  // Only rules contain numbers beyond 2^53.
  const rules = writeJson(byUuid(filters) as unknown as Json);
  return `${head},"filters":${rules},${JSON.stringify(rest).slice(1)}`;
}

const byUuid = <O extends { readonly uuid: string }>(objects: readonly O[]) =>
  Object.fromEntries(objects.map((object) => [object.uuid, object]));

function parsed(text: string): Raw {
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (error) {
    throw new ConfigError("wrong_input", `Cannot read the configuration: ${String(error)}`, {
      cause: error,
    });
  }
  if (!isRaw(file)) wrongInput("The configuration is not a dictionary");
  return file;
}

interface Schema {
  safeParse(value: unknown): {
    success: boolean;
    data?: unknown;
    error?: { issues: readonly Issue[] };
  };
}

interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function all(file: Raw, key: string, kind: string, schema: Schema): unknown[] {
  return Object.entries(rawIn(file, key)).map(([uuid, value]) => {
    const object = checked(kind, schema, value);
    const own = (object as { readonly uuid: string }).uuid;
    if (own !== uuid) {
      const name = (object as { readonly name?: string }).name ?? own;
      wrongInput(`${kind} '${name}' is indexed by wrong UUID '${uuid}'`);
    }
    return object;
  });
}

function checked(kind: string, schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error?.issues[0];
  const [key] = issue?.code === "unrecognized_keys" ? (issue.keys ?? []) : [];
  if (key !== undefined) {
    throw unsupported([kind, ...(issue?.path ?? [])].join("/"), key);
  }
  const name = isRaw(value) ? String(value.name ?? value.uuid) : "";
  wrongInput(`${kind} '${name}' is invalid: ${issue?.path.join("/")}: ${issue?.message}`);
}

const unsupported = (kind: string, key: string): ConfigError =>
  new ConfigError("wrong_input", `Object ${kind} doesn't support the parameter '${key}'`);
