/** The configuration as Ganeti's own daemons read it, and what their format has no place for. */
import { Claim, ClusterObject, type FilterRule, type GroupObject } from "@ganeti-ts/protocol";
import { ConfigError, wrongInput } from "../config-error.js";
import { claimsOfEntries } from "../former-claims.js";
import type { ConfigurationContent } from "../objects.js";
import { writeConfigFile } from "./config-file.js";
import { isRaw } from "./raw.js";

/** Parts of a configuration that Ganeti would drop at its next write, or refuse. */
export interface LeftOut {
  /** Lists of allocators by request. */
  readonly default_iallocators?: ClusterObject["default_iallocators"];
  readonly claims: readonly Claim[];
}

const allocatorLists = ClusterObject.unwrap().shape.default_iallocators;

/**
 * The parts as our servers keep them beside Ganeti's file. Earlier versions kept claims as instances with disks.
 * @throws ConfigError `wrong_input`
 */
export function readLeftOut(value: unknown): LeftOut {
  if (!isRaw(value)) wrongInput("it is not a dictionary");
  const { claims, held = [], heldDisks = [] } = value;
  for (const [key, list] of Object.entries({ held, heldDisks })) {
    if (!Array.isArray(list)) wrongInput(`${key}: it is not a list`);
  }
  const lists = allocatorLists.safeParse(value.default_iallocators);
  if (!lists.success) throw wrong("default_iallocators", lists.error);
  const read = Claim.array().optional().safeParse(claims);
  if (!read.success) throw wrong("claims", read.error);
  return {
    ...(lists.data !== undefined && { default_iallocators: lists.data }),
    claims:
      read.data === undefined
        ? claimsOfEntries(held as unknown[], heldDisks as unknown[])
        : (claims as readonly Claim[]),
  };
}

interface Faults {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function wrong(key: string, { issues: [issue] }: Faults): ConfigError {
  const path = [key, ...(issue?.path ?? [])].join("/");
  return new ConfigError("wrong_input", `${path}: ${issue?.message}`);
}

/** A `config.data` for Ganeti, and the objects that are not in it. */
interface GanetiFile {
  readonly text: string;
  readonly left: LeftOut;
}

/** Splits a configuration into what Ganeti's file can hold and the rest; `withLeftOut` joins them again. O(n). */
export function ganetiFile(
  content: ConfigurationContent,
  filters: readonly FilterRule[],
): GanetiFile {
  const { default_iallocators, ...cluster } = content.cluster;
  const groups = content.groups.map(withMembers);
  return {
    text: writeConfigFile({ ...content, cluster, groups }, filters),
    left: {
      ...(default_iallocators !== undefined && { default_iallocators }),
      claims: content.claims ?? [],
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
  { default_iallocators, claims }: LeftOut,
): ConfigurationContent {
  const known = new Set<string>(content.instances.map(({ uuid }) => uuid));
  return {
    ...content,
    cluster: {
      ...content.cluster,
      ...(default_iallocators !== undefined && { default_iallocators }),
    },
    // The instance of a creation that has ended since then exists, under the UUID of its claim.
    claims: claims.filter(({ uuid }) => !known.has(uuid)),
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
