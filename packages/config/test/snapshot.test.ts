import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConfigChange } from "../src/index.js";
import { Snapshot } from "../src/index.js";
import { aCluster, aDrbdDisk, anInstance, aPlainDisk, put, seeded } from "./cluster.js";

/** A possible change of a cluster; numbers select among existing objects. */
const event = fc.record({
  kind: fc.constantFrom("add", "change", "remove", "move", "regroup"),
  which: fc.nat(),
  where: fc.nat(),
});

const seen = { add: 0, change: 0, remove: 0, move: 0, regroup: 0 };

test("a snapshot that came of changes equals one that is built from its objects", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40, size: "max" }), (events) => {
      const random = seeded(events.length);
      let now = Snapshot.of(aCluster({ random, groups: [{ name: "a" }, { name: "b" }] }));
      const past: { readonly snapshot: Snapshot; readonly content: string }[] = [];
      for (const { kind, which, where } of events) {
        const pick = <T>(from: Iterable<T>, at: number): T | undefined => {
          const list = [...from];
          return list[at % Math.max(list.length, 1)];
        };
        const node = pick(now.nodes(), where);
        const other = pick(now.nodes(), where + 1);
        const instance = pick(now.instances(), which);
        if (node === undefined || other === undefined) throw new Error("there are nodes");
        const changes: ConfigChange[] = [];
        if (kind === "add") {
          const minors = [which % 9, where % 9] as const;
          const disk =
            which % 2 === 0
              ? aPlainDisk(random, node.uuid)
              : aDrbdDisk(random, [node.uuid, other.uuid], { port: 11000 + which, minors });
          const nics = [{ uuid: disk.uuid, mac: `aa:00:00:00:00:0${which % 10}`, nicparams: {} }];
          const added = anInstance(random, `i${which % 10}`, node.uuid, {
            disks: [disk.uuid],
            nics,
            network_port: where,
          });
          changes.push(put("instance", added), put("disk", disk));
        } else if (kind === "regroup") {
          const group = pick(now.groups(), which)?.uuid;
          changes.push(put("node", { ...node, group }));
        } else if (instance === undefined) {
          continue;
        } else if (kind === "change") {
          const name = `i${where % 10}.example.com`;
          changes.push(put("instance", { ...instance, name, nics: [] }));
        } else if (kind === "remove") {
          changes.push({ kind: "remove", type: "instance", uuid: instance.uuid });
          // Sometimes its disks stay behind.
          for (const uuid of where % 2 ? instance.disks : []) {
            changes.push({ kind: "remove", type: "disk", uuid });
          }
        } else {
          for (const disk of now.disksOf(instance)) {
            const nodes = disk.nodes.length === 2 ? [disk.nodes[0], node.uuid] : [node.uuid];
            changes.push(put("disk", { ...disk, nodes }));
          }
        }
        seen[kind]++;
        past.push({ snapshot: now, content: JSON.stringify(now.content()) });
        now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime + 1 });
      }
      const rebuilt = Snapshot.of(now.content());
      expect(now.content()).toEqual(rebuilt.content());
      expect(now.suffixesOf("", Infinity)).toEqual(rebuilt.suffixesOf("", Infinity));
      for (const { snapshot, content } of past) {
        expect(JSON.stringify(snapshot.content())).toBe(content);
      }
    }),
    { numRuns: 60 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});
