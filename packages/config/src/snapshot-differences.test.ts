// Seen to fail with removed objects left out.
import type { NodeUuid, RealDisk } from "@ganeti-ts/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { initialConfiguration } from "./initial.js";
import type { ConfigChange } from "./objects.js";
import { Snapshot } from "./snapshot.js";

const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

const disk = (at: number, size: number) =>
  ({
    uuid: uuid(at),
    dev_type: "plain",
    size,
    nodes: ["n"] as NodeUuid[],
    children: [],
  }) as unknown as RealDisk;

function snapshotOf(disks: readonly RealDisk[]): Snapshot {
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: [{ name: "node1.example.com", primary_ip: "192.0.2.1" }],
    random: { fraction: () => 0.5 },
    now: 1,
  });
  return Snapshot.of({ ...content, disks });
}

test("the differences between two snapshots are the objects added, removed and replaced", () => {
  const step = fc.array(fc.tuple(fc.nat(300), fc.integer({ min: -1, max: 3 })), { maxLength: 20 });
  const seen = { put: 0, removed: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
      const first = snapshotOf(Array.from({ length: 200 }, (_, at) => disk(at, 0)));
      let now = first;
      for (const changes of steps) {
        now = now.with(
          changes.map(
            ([at, size]): ConfigChange =>
              size < 0
                ? { kind: "remove", type: "disk", uuid: uuid(at) }
                : { kind: "put", type: "disk", object: disk(at, size) },
          ),
          { serial: now.serial + 1, mtime: now.mtime },
        );
      }
      const uuids = new Set([...first.disks(), ...now.disks()].map((one) => one.uuid));
      const expected = [...uuids]
        .sort()
        .map((key) => ({ key, before: first.disk(key), after: now.disk(key) }))
        .filter(({ before, after }) => before !== after);
      expect(now.differencesFrom(first, "disk")).toEqual(expected);
      for (const { after } of expected) seen[after === undefined ? "removed" : "put"]++;
    }),
  );
  expect(seen.put).toBeGreaterThan(0);
  expect(seen.removed).toBeGreaterThan(0);
});
