// Seen to fail with instances of creations among `instances`, with their names in the index of instances, with claimed disks
// among `disks`, and with claims in `config.data`.
import { readFileSync } from "node:fs";
import type { Claim, ClaimOf, InstanceUuid, JobId } from "@ganeti-ts/protocol";
import { brokenInvariants } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { ports } from "../test/cluster.js";
import { devicesOfClaim, namesOfClaim, nodesOfClaim } from "./claims.js";
import { instanceOfClaim } from "./claims-in-snapshot.js";
import { Configuration, createConfiguration } from "./configuration.js";
import { writeConfigFile } from "./file/config-file.js";
import { conversionChanges } from "./former-claims.js";
import { addressesOnLink } from "./links.js";
import { findUuid, ownerOfName } from "./lookup.js";
import { createMemoryStore } from "./memory-store.js";
import { droppedClaims } from "./removal.js";
import { contentOfRows } from "./rows.js";
import { Snapshot } from "./snapshot.js";
import { ssconfValues } from "./ssconf.js";
import { stamped } from "./stamping.js";
import type { ConfigRow } from "./store.js";

/** A cluster with claims of all kinds. */
function claimed(): Snapshot {
  const file = new URL("../test/fixtures/former-claims.json", import.meta.url);
  const rows = JSON.parse(readFileSync(file, "utf8")) as { document: object }[];
  const content = contentOfRows(
    9,
    rows.map((row) => ({ ...row, document: JSON.stringify(row.document) }) as unknown as ConfigRow),
  );
  if (content === undefined) throw new Error("the fixture has a configuration");
  return Snapshot.of(content).with(conversionChanges(content), { serial: 10, mtime: 10 });
}

const withoutClaims = (now: Snapshot): Snapshot =>
  now.with(
    [...now.claims()].map(({ uuid }) => ({ kind: "remove", type: "claim", uuid }) as const),
    { serial: now.serial, mtime: now.mtime },
  );

/** All that a snapshot shows of instances and disks. */
function shown(now: Snapshot, names: readonly string[]) {
  const nodes = [...now.nodes()].map(({ uuid }) => uuid);
  return {
    instances: [...now.instances()],
    disks: [...now.disks()],
    counts: [now.instanceCount, now.diskCount],
    found: names.map((name) => [findUuid(now, "instance", name), now.findInstance(name)]),
    byUuid: names.map((uuid) => now.instance(uuid as InstanceUuid)),
    onNodes: nodes.map((uuid) => ({ ...now.instancesOfNode(uuid) })),
    forthcoming: nodes.map((uuid) => now.forthcomingOfNode(uuid)),
    addresses: addressesOnLink(now, now.cluster.nicparams.default.link),
    ssconf: ssconfValues(now),
    file: writeConfigFile(now.content()),
  };
}

test("no reader of instances or disks sees a claim, whose names and numbers are taken", () => {
  const now = claimed();
  const claims = [...now.claims()];
  expect(new Set(claims.map(({ kind }) => kind)).size).toBe(6);
  const names = claims.flatMap((claim) => [claim.uuid, namesOfClaim(claim).name ?? []].flat());
  expect(names).toContain("new.example.com");
  const devices = claims.flatMap(devicesOfClaim);
  expect(devices.length).toBeGreaterThan(3);
  expect(devices.map(({ uuid }) => now.disk(uuid))).toEqual(devices.map(() => undefined));
  const free = withoutClaims(now);
  expect(shown(now, names)).toEqual(shown(free, names));
  expect(ownerOfName(now, "instance", "new.example.com")).toBeDefined();
  expect(ownerOfName(free, "instance", "new.example.com")).toBeUndefined();
  const node = now.expectNode("node1.example.com").uuid;
  const minors = [now, free].map((one) => one.minorsOf(node).map(([minor]) => minor));
  expect(minors).toEqual([[0, 7], [0]]);
});

test("a claim names its nodes and the instance that it is about", () => {
  const now = claimed();
  const about = [...now.claims()]
    .sort((a, b) => a.job - b.job)
    .map((claim) => [
      claim.kind,
      instanceOfClaim(now, claim),
      nodesOfClaim(claim)
        .map((uuid) => now.node(uuid)?.name.split(".")[0])
        .sort(),
    ]);
  expect(about).toEqual([
    ["space", undefined, ["node1"]],
    ["space", undefined, ["node1"]],
    ["removal", undefined, ["node1"]],
    ["removal", "web.example.com", ["node1"]],
    ["export", "web.example.com", ["node1"]],
    ["recreation", "web.example.com", ["node1"]],
    ["space", undefined, ["node1"]],
    ["commit", "one.example.com", ["node1", "node2"]],
    ["commit", "two.example.com", ["node1"]],
    ["creation", "new.example.com", ["node1", "node2"]],
  ]);
});

test("a claim that is dropped gives its ports back, once", () => {
  const now = claimed();
  const creation = [...now.claims()].find(({ kind }) => kind === "creation");
  if (creation === undefined) throw new Error("the fixture has a creation");
  const changes = stamped(now, droppedClaims(now, [creation.uuid, creation.uuid]), 11);
  const after = now.with(changes, { serial: 11, mtime: 11 });
  expect(after.claim(creation.uuid)).toBeUndefined();
  expect(after.cluster.tcpudp_port_pool).toEqual(expect.arrayContaining([11_900, 11_901]));
  expect(droppedClaims(after, [creation.uuid])).toEqual([]);
});

const space = (now: Snapshot) =>
  [...now.claims()].find(({ kind }) => kind === "space") as ClaimOf<"space">;

test.each<[string, (now: Snapshot) => Claim, RegExp]>([
  [
    "becomes that of another job",
    (now) => ({ ...space(now), job: 99 as JobId }),
    /was one of kind space of job/,
  ],
  [
    "becomes one of another kind",
    (now) => {
      const { uuid, job, node, serial_no } = space(now);
      return { kind: "export", uuid, job, node, serial_no, instanceName: "web" } as Claim;
    },
    /kind space of job \d+, and would be export/,
  ],
  ["holds less than nothing", (now) => ({ ...space(now), memoryMib: -1 }), /memoryMib: Too small/],
])("a claim that %s is not stored, and counts as a broken invariant", async (_, changed, text) => {
  const store = createMemoryStore();
  await createConfiguration(store, claimed().content());
  const configuration = await Configuration.open(store, ports());
  const { snapshot } = configuration;
  const before = brokenInvariants();
  const change = configuration.change((now) => ({
    changes: [{ kind: "put", type: "claim", object: changed(now) }],
    value: undefined,
  }));
  await expect(change).rejects.toThrow(text);
  expect(brokenInvariants()).toBe(before + 1);
  expect(configuration.snapshot).toBe(snapshot);
});
