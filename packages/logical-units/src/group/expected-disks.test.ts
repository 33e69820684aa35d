// Seen to fail without the nodes of removed disks, with disks left as they were for other parameters of the cluster,
// without instances whose primary node has left the group, with the disks of an instance not compared, and with the kept
// map given to callers; with all disks of an instance that has a mirror.
import type { NodeUuid } from "@ganeti-ts/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changesOfGroups, snapshotsAfter } from "../../test/support/group-changes.js";
import { type Expected, type ExpectedOnNode, expectedByNode, ownersOn } from "./expected-disks.js";

const byUuid = (a: { readonly uuid: string }, b: { readonly uuid: string }) =>
  a.uuid < b.uuid ? -1 : 1;

/** Everything expected, in an order of its own. */
const shown = (expected: Expected) =>
  new Map(Array.from(expected, ([node, there]) => [node, shownOn(node, there)] as const).sort());

const shownOn = (node: NodeUuid, there: ExpectedOnNode) => ({
  instances: there.instances.map(({ instance }) => instance).sort(byUuid),
  hasVolumes: there.hasVolumes,
  mirrored: there.mirrored.toSorted(byUuid),
  disks: there.disks.toSorted(byUuid),
  owners: ownersOn(node, there),
});

test("disks expected on nodes and kept between checks equal those computed from a snapshot", () => {
  const seen = { kept: 0, other: 0, gone: 0, mirrored: 0 };
  fc.assert(
    fc.property(changesOfGroups, (steps) => {
      let before: Expected = new Map();
      let shownBefore = shown(before);
      for (const { now, group, fresh } of snapshotsAfter(steps)) {
        const kept = expectedByNode(now, group);
        expect(shown(kept)).toEqual(shown(expectedByNode(now, fresh)));
        expect(shown(before)).toEqual(shownBefore);
        for (const [node, there] of kept) {
          expect(there.hasVolumes).toBe(ownersOn(node, there).size > 0);
          for (const { dev_type, logical_id } of there.disks) {
            expect([dev_type, logical_id]).toEqual(["drbd", expect.arrayContaining([node])]);
          }
        }
        for (const [node, there] of before) {
          const after = kept.get(node);
          seen[after === there ? "kept" : after === undefined ? "gone" : "other"]++;
          if (there.mirrored.length > 0) seen.mirrored++;
        }
        before = kept;
        shownBefore = shown(kept);
      }
    }),
    { numRuns: 200 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});
