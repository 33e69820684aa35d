/** The configuration as Ganeti's own daemons read it, and what their format has no place for. */
import type {
  ClusterObject,
  DiskObject,
  FilterRule,
  GroupObject,
  InstanceObject,
} from "@ganeti-ts/protocol";
import { isHeld } from "../held.js";
import type { ConfigurationContent } from "../objects.js";
import { writeConfigFile } from "./config-file.js";

/** Parts of a configuration that Ganeti would drop at its next write, or refuse. */
export interface LeftOut {
  /** Lists of allocators by request. */
  readonly default_iallocators?: ClusterObject["default_iallocators"];
  /** Entries of running creations, with their disks. */
  readonly held: readonly InstanceObject[];
  readonly heldDisks: readonly DiskObject[];
}

/** A `config.data` for Ganeti, and the objects that are not in it. */
export interface GanetiFile {
  readonly text: string;
  readonly left: LeftOut;
}

/** Splits a configuration into what Ganeti's file can hold and the rest; `withLeftOut` joins them again. O(n). */
export function ganetiFile(
  content: ConfigurationContent,
  filters: readonly FilterRule[],
): GanetiFile {
  const { default_iallocators, ...cluster } = content.cluster;
  const held = content.instances.filter(isHeld);
  const heldUuids = new Set(held.flatMap(({ disks }) => disks));
  const groups = content.groups.map(withMembers);
  return {
    text: writeConfigFile({ ...content, cluster, groups }, filters),
    left: {
      ...(default_iallocators !== undefined && { default_iallocators }),
      held,
      heldDisks: content.disks.filter(({ uuid }) => heldUuids.has(uuid)),
    },
  };
}

/** Ganeti writes an empty list, which it computes from the nodes when it loads the file. */
const withMembers = (group: GroupObject): GroupObject => {
  const { networks, ...rest } = group;
  return Object.assign({}, rest, { members: [] }, { networks });
};

/** The configuration of a Ganeti file with the parts that were left out of it. */
export function withLeftOut(
  content: ConfigurationContent,
  { default_iallocators, held, heldDisks }: LeftOut,
): ConfigurationContent {
  const known = new Set(content.instances.map(({ uuid }) => uuid));
  // A creation that has ended since then has made its entry real.
  const left = held.filter(({ uuid }) => !known.has(uuid));
  const wanted = new Set(left.flatMap(({ disks }) => disks));
  return {
    ...content,
    cluster: {
      ...content.cluster,
      ...(default_iallocators !== undefined && { default_iallocators }),
    },
    instances: [...content.instances, ...left],
    disks: [...content.disks, ...heldDisks.filter(({ uuid }) => wanted.has(uuid))],
  };
}

/**
 * Where a value has characters outside of ASCII, on which Ganeti 3.0 breaks: paths of keys, at most `most` of them.
 */
export function nonAsciiPlaces(value: unknown, most = 10): readonly string[] {
  const found: string[] = [];
  const look = (one: unknown, path: string): void => {
    if (found.length >= most) return;
    if (typeof one === "string") {
      if (/[\u0080-\uffff]/.test(one)) found.push(path);
    } else if (typeof one === "object" && one !== null) {
      for (const [key, inner] of Object.entries(one)) {
        if (/[\u0080-\uffff]/.test(key)) found.push(path);
        look(inner, path === "" ? key : `${path}/${key}`);
      }
    }
  };
  look(value, "");
  return found;
}
