/** Reader and writer of Ganeti's `config.data`: one JSON object with the whole configuration. */

import type { Random } from "@ganeti-ts/protocol";
import {
  ClusterObject,
  DiskObject,
  FilterRule,
  GroupObject,
  InstanceObject,
  type Json,
  NetworkObject,
  NodeObject,
  parseJson,
  writeJson,
} from "@ganeti-ts/protocol";
import { ConfigError } from "../config-error.js";
import { configVersion } from "../defaults.js";
import type { ConfigurationContent } from "../objects.js";
import { fillCluster } from "./fill-cluster.js";
import { fillObjects } from "./fill-objects.js";
import { isRaw, type Raw, rawIn } from "./raw.js";
import { upgrade } from "./upgrade.js";

/** Content of a `config.data` file, and the filter rules that it contains. */
export interface ConfigFile {
  readonly content: ConfigurationContent;
  /** Rules of the job queue, which stores them itself. */
  readonly filters: readonly FilterRule[];
}

/** Options of `readConfigFile`. */
export interface ReadOptions {
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
  const version = Number(file.version);
  if (!currentVersions.includes(version)) {
    const isOld = version >= oldestVersion && version < newestOldVersion + 10_000;
    if (!isOld || options.upgrade !== true) {
      throw new ConfigError(
        "wrong_input",
        `Cluster configuration version mismatch, got ${String(file.version)} instead of ${configVersion}`,
      );
    }
    upgrade(file, version, options.random, options.now);
    file.version = configVersion;
  }
  fillCluster(file, options.random);
  fillObjects(file, options.random);
  const { version: found, serial_no = 1, ctime = 0, mtime = 0, ...maps } = file;
  for (const key of Object.keys(maps)) {
    if (key !== "cluster" && !mapKeys.includes(key)) throw unsupported("ConfigData", key);
  }
  return {
    content: {
      version: Number(found),
      serial: Number(serial_no),
      ctime: Number(ctime),
      mtime: Number(mtime),
      cluster: checked("Cluster", ClusterObject, file.cluster) as ClusterObject,
      nodes: all(file, "nodes", "Node", NodeObject) as NodeObject[],
      groups: all(file, "nodegroups", "NodeGroup", GroupObject) as GroupObject[],
      instances: all(file, "instances", "Instance", InstanceObject) as InstanceObject[],
      disks: all(file, "disks", "Disk", DiskObject) as DiskObject[],
      networks: all(file, "networks", "Network", NetworkObject) as NetworkObject[],
    },
    filters: all(file, "filters", "FilterRule", FilterRule) as FilterRule[],
  };
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
  if (!isRaw(file)) throw new ConfigError("wrong_input", "The configuration is not a dictionary");
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
      throw new ConfigError("wrong_input", `${kind} '${name}' is indexed by wrong UUID '${uuid}'`);
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
  throw new ConfigError(
    "wrong_input",
    `${kind} '${name}' is invalid: ${issue?.path.join("/")}: ${issue?.message}`,
  );
}

const unsupported = (kind: string, key: string): ConfigError =>
  new ConfigError("wrong_input", `Object ${kind} doesn't support the parameter '${key}'`);
