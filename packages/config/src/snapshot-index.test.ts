import type { Claim, DiskObject, InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { kindsByType } from "./index-entries.js";
import { initialConfiguration } from "./initial.js";
import type { ConfigChange } from "./objects.js";
import { Snapshot } from "./snapshot.js";

const uuid = (kind: number, at: number) =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}`;

let drawn = 0;
const first = Snapshot.of(
  initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: [1, 2, 3].map((at) => ({
      name: `node${at}.example.com`,
      primary_ip: `192.0.2.${at}`,
    })),
    random: { fraction: () => (drawn++ * 0.618) % 1 },
    now: 1,
  }),
);
const nodes = [...first.nodes()];

/** A mirrored disk, an instance that has it, and the claim of its creation, with entries of all kinds. */
function objectsOf(
  at: number,
  salt: number,
): { disk: DiskObject; instance: InstanceObject; claim: Claim } {
  const [primary, secondary] = [nodes[salt % 3], nodes[(salt + 1) % 3]] as [NodeObject, NodeObject];
  const child = { dev_type: "plain", nodes: [primary.uuid], logical_id: ["vg", `lv${at}`] };
  const disk = {
    ...{ uuid: uuid(2, at), dev_type: "drbd", nodes: [primary.uuid, secondary.uuid] },
    logical_id: [primary.uuid, secondary.uuid, 11_000 + at, salt, salt, `secret${at}`],
    children: [{ ...child, children: [] }],
  };
  const nic = { uuid: uuid(3, at), mac: `AA:00:00:00:00:0${salt % 10}`, ip: `10.0.0.${salt}` };
  const instance = {
    ...{ uuid: uuid(1, at), name: `inst${at}-${salt}.example.com`, primary_node: primary.uuid },
    ...{ disks: [uuid(2, at)], network_port: 12_000 + salt, tags: [] },
    nics: [{ ...nic, network: uuid(4, salt), nicparams: { link: `br${salt}` } }],
    ...(salt % 2 === 0 ? {} : { forthcoming: true }),
  };
  const claim = { kind: "creation", uuid: uuid(1, at), job: salt, instance, disks: [disk] };
  return { disk, instance, claim } as never;
}

function changed(now: Snapshot, what: string, at: number, salt: number): Snapshot {
  const { disk, instance, claim } = objectsOf(at, salt);
  const isClaimed = now.claim(claim.uuid) !== undefined;
  const put = (type: string, object: unknown) => ({ kind: "put", type, object });
  const remove = (type: string, of: string) => ({ kind: "remove", type, uuid: of });
  const node = { ...nodes[at % 3], offline: salt % 2 === 0, master_candidate: salt % 3 === 0 };
  const changes = {
    put: [
      ...(isClaimed ? [remove("claim", claim.uuid)] : []),
      ...[put("disk", disk), put("instance", instance)],
    ],
    claim: [...[put("claim", claim), remove("instance", instance.uuid), remove("disk", disk.uuid)]],
    disk: [put("disk", disk)],
    remove: [remove("instance", instance.uuid), remove("disk", disk.uuid)],
    node: [put("node", node)],
  }[what] as unknown as readonly ConfigChange[];
  return now.with(changes, { serial: now.serial + 1, mtime: 1 });
}

const kinds = [...new Set(Object.values(kindsByType).flat())];

const entries = (now: Snapshot) =>
  kinds.map((kind) => [kind, now.suffixesOf(`${kind}\0`, Number.POSITIVE_INFINITY)]);

test("an index that follows changes has the entries of a new one, whenever its parts are built", () => {
  const seen = { early: 0, late: 0 };
  const step = fc.tuple(
    fc.constantFrom("put", "put", "claim", "claim", "disk", "remove", "node", "prepare", "look"),
    fc.nat(4),
    fc.nat(9),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      let now = first.with([], { serial: 1, mtime: 1 });
      const before: Snapshot[] = [];
      let isBuilt = false;
      for (const [what, at, salt] of steps) {
        before.push(now);
        if (what === "prepare") isBuilt = now.prepareIndex() || isBuilt;
        else if (what === "look") now.keysOf("minor", nodes[at % 3]?.uuid as string);
        else now = changed(now, what, at, salt);
      }
      seen[isBuilt ? "early" : "late"]++;
      const old = before[Math.floor(before.length / 2)] ?? now;
      expect(entries(now)).toEqual(entries(Snapshot.of(now.content())));
      expect(entries(old)).toEqual(entries(Snapshot.of(old.content())));
      for (let left = 0; now.prepareIndex(); left++) expect(left).toBeLessThan(kinds.length);
    }),
    { numRuns: 300 },
  );
  expect(seen.early).toBeGreaterThan(50);
  expect(seen.late).toBeGreaterThan(10);
  const both = changed(changed(first, "put", 1, 1), "claim", 2, 1);
  const all = entries(changed(both, "node", 1, 6));
  expect(all.filter(([, of]) => of?.length === 0)).toEqual([]);
});
