// The verdicts about affected objects, for each query field and each value of the configuration.

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { aSnapshot } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import type { Field } from "../src/field.js";
import { affectedInstances, affectedNodes, instanceFields, nodeFields } from "../src/index.js";

/** The value with one part of it replaced or added, for each part at any depth. */
function* otherValues(value: unknown): Iterable<unknown> {
  if (typeof value === "number") yield value + 1;
  else if (typeof value === "boolean") yield !value;
  else if (typeof value === "string") yield `${value}x`;
  else if (value !== null && typeof value === "object") {
    yield Array.isArray(value) ? [...value, "x"] : { ...value, x: {} };
    for (const [key, part] of Object.entries(value)) {
      for (const other of otherValues(part)) {
        yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
      }
    }
  }
}

/** Snapshots that differ from this one in one value of one object. */
function* neighboursOf(before: Snapshot): Iterable<Snapshot> {
  const after = (change: object) =>
    before.with([change as ConfigChange], { serial: before.serial + 1, mtime: before.mtime });
  for (const type of ["instance", "disk", "node", "group", "network"] as const) {
    for (const one of before.all(type)) {
      for (const object of otherValues(one) as Iterable<typeof one>) {
        if (object.uuid === one.uuid) yield after({ kind: "put", type, object });
      }
    }
  }
  for (const object of otherValues(before.cluster)) yield after({ kind: "cluster", object });
}

test.each([
  {
    kind: "instance",
    affectedBy: affectedInstances,
    fields: instanceFields,
    // No NIC of the example has a name, no instance two disks; a UUID never changes.
    others: ["nic.name", "uuid", "sdb_size"],
  },
  {
    kind: "node",
    affectedBy: affectedNodes,
    fields: nodeFields,
    // No node of the example has static states.
    others: ["hv_state", "disk_state", "uuid"],
  },
] as const)(
  "every field of kind $kind changes with some value, and only in objects that are affected",
  ({ kind, affectedBy, fields, others }) => {
    const before = aSnapshot();
    const known = (fields as readonly Field<unknown>[]).filter(({ needs }) => needs === undefined);
    // Parameters, and fields of the first, second … disk or NIC, are made from one list each.
    const familyOf = ({ definition: { name } }: Field<unknown>) => name.replace(/\/.*/, "");
    const unseen = new Set(known.map(familyOf));
    const textOf = (field: Field<unknown>, now: Snapshot, uuid: string): string =>
      JSON.stringify(field.entry(now.find(kind, uuid), { now, live: undefined }));
    const former = new Map(
      [...before.all(kind)].map(({ uuid }) => [
        uuid,
        new Map(known.map((field) => [field, textOf(field, before, uuid)])),
      ]),
    );
    for (const now of neighboursOf(before)) {
      const affected = affectedBy(before, now);
      for (const [uuid, texts] of former) {
        const isAffected = affected === undefined || affected.has(uuid);
        for (const field of known) {
          if (isAffected && !unseen.has(familyOf(field))) continue;
          if (textOf(field, now, uuid) === texts.get(field)) continue;
          expect(isAffected, `${field.definition.name} of ${uuid}`).toBe(true);
          unseen.delete(familyOf(field));
        }
      }
    }
    expect([...unseen]).toEqual(others);
  },
);
