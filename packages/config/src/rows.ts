/** Conversion of a configuration to the rows of a store, and back. */

import { Claim, type ClusterObject } from "@ganeti-ts/protocol";
import { wrongInput } from "./config-error.js";
import { SharedParts } from "./known-parts.js";
import type { ConfigChange, ConfigurationContent, ObjectsByType, ObjectType } from "./objects.js";
import { putCluster } from "./objects.js";
import type { ConfigRow, RowType } from "./store.js";

interface Head {
  readonly version: number;
  readonly ctime: number;
  readonly mtime: number;
}

const row = (type: RowType, uuid: string, serial: number, object: unknown): ConfigRow => ({
  type,
  uuid,
  serial,
  document: JSON.stringify(object),
});

export const headRow = ({ version, ctime, mtime }: Head, serial: number): ConfigRow =>
  row("head", "", serial, { version, ctime, mtime });

export function rowOf(change: ConfigChange, serial: number): ConfigRow {
  if (change.kind === "cluster") {
    return { type: "cluster", uuid: "", serial, document: textByParts(change.object) };
  }
  if (change.kind === "remove") {
    return { type: change.type, uuid: change.uuid, serial, document: null };
  }
  return row(change.type, change.object.uuid, serial, change.object);
}

/** Texts of parts of cluster objects: most changes leave nearly all parts the same objects. */
const partTexts = new WeakMap<object, string>();

/** The JSON text of an immutable object without undefined values; O(size of parts that are new). */
function textByParts(object: object): string {
  const texts = Object.entries(object).map(([key, part]) => {
    if (typeof part !== "object" || part === null)
      return `${JSON.stringify(key)}:${JSON.stringify(part)}`;
    const text = partTexts.get(part) ?? JSON.stringify(part);
    partTexts.set(part, text);
    return `${JSON.stringify(key)}:${text}`;
  });
  return `{${texts.join()}}`;
}

/** Every object of the configuration, as one commit. */
export function rowsOfContent(content: ConfigurationContent): ConfigRow[] {
  const { serial } = content;
  const rowsOf = (type: ObjectType, objects: readonly { readonly uuid: string }[]) =>
    objects.map((object) => row(type, object.uuid, serial, object));
  return [
    headRow(content, serial),
    row("cluster", "", serial, content.cluster),
    ...rowsOf("node", content.nodes),
    ...rowsOf("group", content.groups),
    ...rowsOf("instance", content.instances),
    ...rowsOf("disk", content.disks),
    ...rowsOf("network", content.networks),
    ...rowsOf("claim", content.claims ?? []),
  ];
}

/** Parses the output of `rowsOfContent` and commits without checks. Undefined if nothing was stored. */
export function contentOfRows(
  serial: number,
  rows: Iterable<ConfigRow>,
): ConfigurationContent | undefined {
  // Each text is parsed before the next row is read, so that garbage collection does not copy all texts.
  const objects = new Map<RowType, unknown[]>();
  const parts = new SharedParts();
  for (const { type, document } of rows) {
    if (document === null) continue;
    const object = JSON.parse(document) as object;
    parts.share(object);
    const those = objects.get(type);
    if (those === undefined) objects.set(type, [object]);
    else those.push(object);
  }
  const [head, cluster] = [objects.get("head")?.[0], objects.get("cluster")?.[0]];
  if (head === undefined || cluster === undefined) return undefined;
  const objectsOf = <T extends ObjectType>(type: T) =>
    (objects.get(type) ?? []) as unknown as ObjectsByType[T][];
  return {
    ...(head as Head),
    serial,
    cluster: cluster as ClusterObject,
    nodes: objectsOf("node"),
    groups: objectsOf("group"),
    instances: objectsOf("instance"),
    disks: objectsOf("disk"),
    networks: objectsOf("network"),
    claims: objectsOf("claim").map(readClaim),
  };
}

/** Rows committed by others, as changes. */
export function newsOfRows(rows: readonly ConfigRow[]): {
  readonly head: Head | undefined;
  readonly changes: readonly ConfigChange[];
} {
  let head: Head | undefined;
  const changes: ConfigChange[] = [];
  for (const { type, uuid, document } of rows) {
    if (type === "head") {
      if (document !== null) head = JSON.parse(document) as Head;
    } else if (document === null) {
      if (type !== "cluster") changes.push({ kind: "remove", type, uuid });
    } else if (type === "cluster") {
      changes.push(putCluster(JSON.parse(document) as ClusterObject));
    } else {
      const object = JSON.parse(document);
      changes.push({
        ...({ kind: "put", type } as const),
        object: type === "claim" ? readClaim(object) : object,
      } as ConfigChange);
    }
  }
  return { head, changes };
}

/**
 * Claims decide what is removed from nodes: one that another program wrote is checked. Gives the value itself, because the schema
 * puts keys into another order. @throws ConfigError `wrong_input`
 */
export function readClaim(value: unknown): Claim {
  const read = Claim.safeParse(value);
  if (read.success) return value as Claim;
  const [issue] = read.error.issues;
  const { uuid = "" } = value as { readonly uuid?: string };
  wrongInput(`Claim '${uuid}' is invalid: ${issue?.path.join("/")}: ${issue?.message}`);
}
