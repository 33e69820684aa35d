import { collectLive, type LiveData } from "@ganeti-ts/cluster-queries";
import { type ConfigChange, type ObjectsByType, Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import { aSnapshot, someChanges, someNodes, uuidOf } from "@ganeti-ts/testkit/configuration";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RapiKind, rapiObject } from "../src/lists/rapi-objects.js";
import { RapiTexts } from "../src/lists/rapi-texts.js";

const kinds = ["instance", "node", "group", "network"] as const;
const caller = { lease: "1:1", signal: new AbortController().signal };

async function liveOf(
  now: Snapshot,
  running = ["inst1.example.com", "inst10.example.com"],
): Promise<LiveData> {
  const { nodes } = someNodes({ [now.expectNode("node1").uuid]: running });
  return collectLive(nodes, caller, now, {
    needs: new Set(["hypervisor", "storage", "instances"]),
    nodes: now.nodes(),
    instances: now.instances(),
  });
}

const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString();

const wholeOf = (kind: RapiKind, now: Snapshot, live: LiveData | undefined): unknown[] =>
  JSON.parse(textOf(new RapiTexts().list(kind, now, live, { unplaced: true })));

test("cached parts equal newly rendered ones after any change", async () => {
  const first = aSnapshot();
  const lives = [
    await liveOf(first),
    await liveOf(first, ["inst2.example.com"]),
    undefined,
  ] as const;
  const seen = new Set<number>();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(someChanges.length - 1), fc.integer({ min: 1, max: 99 })), {
        maxLength: 8,
      }),
      (steps) => {
        const texts = new RapiTexts();
        let now = first;
        for (const [which, salt] of [[-1, 0] as const, ...steps]) {
          const changes = someChanges[which]?.(now, salt) ?? [];
          now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime });
          if (changes.length > 0) seen.add(which);
          const live = lives[salt % lives.length];
          for (const kind of kinds) {
            // A list that ends early leaves nothing wrong behind.
            const partCount = salt % 4;
            const rendering = texts.rendering(kind, now, live, { unplaced: true });
            for (let part = 0; part < partCount; part++) rendering.next();
            rendering.return();
            const list = JSON.parse(textOf(texts.list(kind, now, live, { unplaced: true })));
            expect(list).toEqual(wholeOf(kind, now, live));
          }
        }
      },
    ),
    { numRuns: randomRuns(100) },
  );
  expect(seen.size).toBe(someChanges.length);
});

test.each<{ what: string; change: (now: Snapshot) => ConfigChange[] }>([
  {
    what: "its secondary node has another name",
    change: (now) => {
      const [disk] = [...now.disks()].filter(({ dev_type }) => dev_type === "drbd");
      const owner = disk && now.instanceOfDisk(disk.uuid);
      const uuid = disk?.nodes?.find((one) => one !== owner?.primary_node);
      const node = now.get("node", uuid as string) as ObjectsByType["node"];
      return [{ kind: "put", type: "node", object: { ...node, name: "other.example.com" } }];
    },
  },
  {
    what: "users may shut down instances",
    change: ({ cluster }) => [
      { kind: "cluster", object: { ...cluster, enabled_user_shutdown: true } },
    ],
  },
])("the text of an instance is written again when $what", async ({ change }) => {
  const stamp = { serial: 2, mtime: 1 };
  const down = { admin_state: "down", admin_state_source: "user" };
  const first = aSnapshot();
  const now = first.with(
    [...first.instances()].map(
      (one) => ({ kind: "put", type: "instance", object: { ...one, ...down } }) as ConfigChange,
    ),
    stamp,
  );
  const live = await liveOf(now, []);
  const texts = new RapiTexts();
  const before = textOf(texts.list("instance", now, live));
  const next = now.with(change(now), stamp);
  const after = textOf(texts.list("instance", next, live));
  expect(after).not.toBe(before);
  expect(after).toBe(textOf(new RapiTexts().list("instance", next, live)));
});

test.each(kinds.map((kind) => ({ kind })))(
  "$kind texts are the objects, with and without live data",
  async ({ kind }) => {
    const now = aSnapshot();
    for (const live of [undefined, await liveOf(now)]) {
      const texts = new RapiTexts();
      for (const object of now.all(kind)) {
        const context = { now, live };
        const whole = JSON.parse(JSON.stringify(rapiObject(kind, object as never, context)));
        expect(JSON.parse(texts.object(kind, object as never, context))).toEqual(whole);
      }
    }
  },
);

test("instances without nodes are listed only if asked for", () => {
  const now = aSnapshot();
  const names = (unplaced: boolean) =>
    JSON.parse(textOf(new RapiTexts().list("instance", now, undefined, { unplaced }))).length;
  expect(names(true) - names(false)).toBe(1);
});

test("one changed instance rewrites one part", () => {
  const now = aSnapshot();
  const texts = new RapiTexts();
  texts.list("instance", now, undefined);
  const before = now.expectInstance("inst2");
  const { uuid } = before;
  let read = 0;
  const watched = new Proxy(
    { ...before, tags: ["new"] },
    {
      get: (target, key) => {
        read++;
        return Reflect.get(target, key);
      },
    },
  );
  const next = now.with([{ kind: "put", type: "instance", object: watched as typeof before }], {
    serial: 2,
    mtime: 1,
  });
  texts.list("instance", next, undefined);
  const first = read;
  read = 0;
  expect(textOf(texts.list("instance", next, undefined))).toContain('"tags":["new"]');
  expect(next.get("instance", uuid)).toBe(watched);
  // A second list only checks for changes of its values.
  expect(read).toBeLessThan(first / 4);
});

/** Counts how often the object is read. */
function watching<Item extends object>(item: Item) {
  const seen = { reads: 0 };
  const watched = new Proxy(item, {
    get: (target, key) => {
      seen.reads++;
      return Reflect.get(target, key);
    },
  });
  return { watched, seen };
}

test.each([
  {
    what: "a list that ends early keeps the texts that it has rendered",
    at: 0,
    isListedBefore: false,
    isKept: true,
  },
  {
    what: "a list that ends early keeps the other texts of the list before",
    at: 599,
    isListedBefore: true,
    isKept: true,
  },
  {
    what: "a list that ends early has no texts that were never rendered",
    at: 599,
    isListedBefore: false,
    isKept: false,
  },
])("$what", ({ at, isListedBefore, isKept }) => {
  const content = aSnapshot().content();
  const instances = Array.from({ length: 600 }, (_, place) => ({
    ...(content.instances[0] as InstanceObject),
    ...{ uuid: uuidOf(6000 + place), name: `many${place}.example.com`, disks: [], nics: [] },
  })) as unknown as InstanceObject[];
  const { watched, seen } = watching(instances[at] as InstanceObject);
  instances[at] = watched;
  const now = Snapshot.of({ ...content, disks: [], instances });
  const texts = new RapiTexts();
  if (isListedBefore) texts.list("instance", now, undefined);
  const other = now.expectInstance("many300.example.com");
  const object = { ...other, tags: ["new"] } as InstanceObject;
  const next = now.with([{ kind: "put", type: "instance", object }], { serial: 2, mtime: 1 });
  const rendering = texts.rendering("instance", next, undefined);
  // The bracket and the first block, which ends before the changed instance.
  rendering.next();
  rendering.next();
  rendering.return();
  seen.reads = 0;
  const text = textOf(texts.list("instance", next, undefined));
  // Rendering an instance reads all of it; otherwise only its UUID and its primary node are looked at.
  expect(seen.reads < 15).toBe(isKept);
  expect(text).toBe(textOf(new RapiTexts().list("instance", next, undefined)));
  expect(text).toContain('"tags":["new"]');
});
