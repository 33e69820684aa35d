// Indexes of fields: the same answers as without them, after any change.

import type { ConfigChange } from "@ganeti-ts/config";
import { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, Json } from "@ganeti-ts/protocol";
import { decodeFilter, FilterError } from "@ganeti-ts/query";
import { aSnapshot, someChanges, someNodes, uuidOf } from "@ganeti-ts/testkit/configuration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unseenParts } from "../src/affected-instances.js";
import type { Field } from "../src/field.js";
import {
  affectedInstances,
  affectedNodes,
  InstanceIndexes,
  instanceFields,
  nodeFields,
} from "../src/index.js";
import { type QueryDeps, queryResource } from "../src/query-resource.js";

const steps = fc.array(fc.tuple(fc.nat(someChanges.length - 1), fc.integer({ min: 1, max: 99 })), {
  maxLength: 8,
});

/** Twenty of them are copies of the first, on other nodes and with other tags. */
const crowded = makeCrowded();

function makeCrowded(): Snapshot {
  const content = aSnapshot().content();
  const [first] = content.instances as readonly InstanceObject[];
  const nodes = content.nodes.map(({ uuid }) => uuid);
  const copies = Array.from({ length: 20 }, (_, at) => ({
    ...(first as InstanceObject),
    ...{ uuid: uuidOf(500 + at), name: `copy${at}.example.com`, disks: [], nics: [] },
    ...{ primary_node: nodes[at % nodes.length], tags: [`t${at % 4}`, "all"] },
  }));
  return Snapshot.of({ ...content, instances: [...content.instances, ...copies] as never });
}

/** All fields of an instance or a node that need no live data. */
const shownOf = (now: Snapshot, kind: "instance" | "node", uuid: string): string => {
  const item = now.get(kind, uuid);
  const context = { now, live: undefined };
  const fields = (kind === "instance" ? instanceFields : nodeFields) as readonly Field<unknown>[];
  const shown =
    item &&
    fields
      .filter(({ needs }) => needs === undefined)
      .map((one) => [one.definition.name, one.entry(item, context)]);
  return JSON.stringify(shown);
};

test.each([
  { kind: "instance", affectedBy: affectedInstances },
  { kind: "node", affectedBy: affectedNodes },
] as const)(
  "$kind objects that are not affected show the same as before in every field",
  ({ kind, affectedBy }) => {
    let same = 0;
    let all = 0;
    const shownFirst = new Map(
      [...crowded.all(kind)].map(({ uuid }) => [uuid, shownOf(crowded, kind, uuid)]),
    );
    fc.assert(
      fc.property(steps, fc.boolean(), (some, isBackwards) => {
        let last = crowded;
        for (const [which, salt] of some) {
          const changes = someChanges[which]?.(last, salt) as ConfigChange[];
          last = last.with(changes, { serial: last.serial + 1, mtime: last.mtime });
        }
        const [before, now] = isBackwards ? [last, crowded] : [crowded, last];
        const affected = affectedBy(before, now);
        if (affected === undefined) {
          all++;
          return;
        }
        for (const { uuid } of now.all(kind)) {
          if (affected.has(uuid)) continue;
          same++;
          expect(shownOf(last, kind, uuid)).toBe(shownFirst.get(uuid));
        }
      }),
      {
        numRuns: 150,
        examples: someChanges.flatMap((_, at) =>
          [7, 8, 9].flatMap((salt) =>
            [false, true].map((isBackwards): [[number, number][], boolean] => [
              [[at, salt]],
              isBackwards,
            ]),
          ),
        ),
      },
    );
    expect(same).toBeGreaterThan(kind === "instance" ? 500 : 50);
    expect(all).toBeGreaterThan(10);
  },
);

/** Another value of the same kind. */
const otherValue = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") return `${value}x`;
  return Array.isArray(value) ? [...value, "x"] : { ...(value as object), x: {} };
};

test.each(unseenParts)("no instance and no node shows the cluster's %s", (part) => {
  const before = crowded;
  const { cluster } = before;
  const object = { ...cluster, [part]: otherValue(cluster[part]) };
  const changes: ConfigChange[] = [{ kind: "cluster", object: object as never }];
  const now = before.with(changes, { serial: before.serial + 1, mtime: before.mtime });
  expect(now.cluster[part]).not.toEqual(cluster[part]);
  expect(affectedInstances(before, now)).toEqual(new Set());
  expect(affectedNodes(before, now)).toEqual(new Set());
  for (const kind of ["instance", "node"] as const) {
    for (const { uuid } of now.all(kind)) {
      expect(shownOf(now, kind, uuid)).toBe(shownOf(before, kind, uuid));
    }
  }
});

async function answerTo(deps: QueryDeps, filter: Json): Promise<unknown> {
  try {
    return (await queryResource(deps, "instance", ["name", "tags", "status"], filter)).data;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return error.message;
  }
}

test("queries with indexes give the answers of queries without, after any change", async () => {
  const ofTag: Json = ["=[]", "tags", "web"];
  const filters: readonly Json[] = [
    ["==", "pnode", "node1.example.com"],
    ["==", "pnode", "node1"],
    ofTag,
    ["=[]", "tags", "t1"],
    ["&", ["=[]", "tags", "all"], ["==", "status", "running"]],
    ["|", ["=[]", "tags", "t2"], ["==", "pnode.group", "other"], ["==", "disk.sizes", "no list"]],
    ["|", ["=[]", "tags", "t2"], ["==", "pnode.group", "other"]],
    ["&", ["=[]", "snodes", "node2.example.com"], ["=~", "name", "1"]],
    ["==", "be/vcpus", 7],
    ["==", "nic.link/0", "t5"],
    ["==", "tags", "t1"],
    ["!=", "os", "debian+x"],
  ];
  const { nodes } = someNodes({ [aSnapshot().expectNode("node1").uuid]: ["copy0.example.com"] });
  const caller = { lease: "1:1", signal: new AbortController().signal };
  let found = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (some) => {
      const indexes = new InstanceIndexes({ instancesMin: 0 });
      let now = crowded;
      for (const [which, salt] of [[-1, 0] as const, ...some]) {
        const changes = someChanges[which]?.(now, salt) ?? [];
        now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime });
        const deps: QueryDeps = { now, nodes, caller, architecture: ["64bits", "x86_64"] };
        for (const filter of filters) {
          const candidates = indexes.candidates(now, decodeFilter(filter));
          if (candidates !== undefined) found++;
          if (filter === ofTag) {
            expect(candidates?.filter(({ tags }) => !tags.includes("web"))).toEqual([]);
          }
          expect(await answerTo({ ...deps, indexes }, filter)).toEqual(
            await answerTo(deps, filter),
          );
        }
      }
    }),
    { numRuns: 30 },
  );
  expect(found).toBeGreaterThan(500);
});
