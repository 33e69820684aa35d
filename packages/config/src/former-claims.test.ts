// The fixture has the rows of a store as the version before claims wrote them, with a claim of each kind.
import { readFileSync } from "node:fs";
import type { ClaimKind } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { ports } from "../test/cluster.js";
import { Configuration } from "./configuration.js";
import { limitedOn, reservedOn } from "./forthcoming/reserved.js";
import { createMemoryStores } from "./memory-store.js";
import type { ConfigRow, ConfigStore } from "./store.js";

interface StoredRow {
  readonly type: ConfigRow["type"];
  readonly uuid: string;
  readonly document: { readonly [key: string]: unknown };
}

const former = JSON.parse(
  readFileSync(new URL("../test/fixtures/former-claims.json", import.meta.url), "utf8"),
) as readonly StoredRow[];

async function storesOf(rows: readonly StoredRow[], count = 1): Promise<readonly ConfigStore[]> {
  const stores = createMemoryStores(count);
  const stored = rows.map((row) => ({ ...row, serial: 9, document: JSON.stringify(row.document) }));
  await stores[0]?.commit({ expectedSerial: 0, serial: 9, rows: stored });
  return stores;
}

const opened = (store: ConfigStore | undefined) =>
  Configuration.open(store as ConfigStore, ports());

test("claims of an earlier version become objects of their own in one commit, and no instances or disks", async () => {
  const [store] = await storesOf(former);
  const { snapshot: now } = await opened(store);
  expect(now.serial).toBe(10);
  const kinds = Array.from(now.claims(), ({ kind, job }): [ClaimKind, number] => [kind, job]);
  expect(kinds.sort(([, a], [, b]) => a - b)).toEqual([
    ["space", 11],
    ["space", 12],
    ["removal", 13],
    ["removal", 14],
    ["export", 15],
    ["recreation", 16],
    ["space", 17],
    ["commit", 18],
    ["commit", 19],
    ["creation", 20],
  ]);
  const names = [...now.instances()].map(({ name }) => name).sort();
  expect(names).toEqual(["one.example.com", "two.example.com", "web.example.com"]);
  expect(now.diskCount).toBe(3);
  expect((await opened(store)).snapshot.serial).toBe(10);
});

test("converted claims hold the capacity that the entries held", async () => {
  const [store] = await storesOf(former);
  const { snapshot: now } = await opened(store);
  const claims = new Map([...now.claims()].map((claim) => [Number(claim.job), claim]));
  const node = now.expectNode("node1.example.com").uuid;
  expect(claims.get(11)).toMatchObject({
    ...{ node, memoryMib: 1024, vcpus: 2, spindleUse: 1, diskSpindles: 3, isBegun: true },
    ...{ diskMib: { xenvg: 512, "": 64 }, disks: [] },
  });
  expect(claims.get(12)).toMatchObject({
    ...{ node, memoryMib: 64, diskMib: {}, diskSpindles: 3 },
    disks: [{ dev_type: "plain", size: 1024 }],
  });
  const [copyOf] = now.expectInstance("web.example.com").disks;
  expect(claims.get(13)).toMatchObject({ node, disks: [{ copyOf, params: {}, size: 0 }] });
  expect(claims.get(14)).toMatchObject({
    running: { name: "web.example.com", hypervisor: "kvm", isBeingStopped: false },
  });
  expect(claims.get(15)).toMatchObject({ node, instanceName: "web.example.com" });
  expect(claims.get(16)).toMatchObject({ disks: now.expectInstance("web.example.com").disks });
  expect(claims.get(17)).toMatchObject({ memoryMib: 96, diskMib: {}, isBegun: false });
  expect(claims.get(18)).toMatchObject({
    reservation: now.expectInstance("one.example.com").uuid,
    names: { network_port: 11518, disks: [] },
    isBegun: true,
  });
  expect(claims.get(19)).toMatchObject({
    former: { instance: { name: "two.example.com", forthcoming: true } },
    names: { disks: [{ dev_type: "plain" }] },
    isBegun: false,
  });
  expect(claims.get(20)).toMatchObject({
    instance: { name: "new.example.com", network_port: 11901 },
    disks: [{ dev_type: "drbd", params: { adopted: "lv9" } }],
  });
  // As computed by the version that wrote the rows.
  expect(reservedOn(now, node)).toEqual({
    ...{ memoryMib: 2464, vcpus: 9, spindleUse: 4, diskSpindles: 6, secondaryMemoryMib: 0 },
    diskMib: { xenvg: 4608, "": 64 },
  });
  expect(limitedOn(now, node, new Set())).toEqual({ vcpus: 9, spindleUse: 6 });
  expect(reservedOn(now, now.expectNode("node2.example.com").uuid)).toEqual({
    ...{ memoryMib: 0, vcpus: 0, spindleUse: 2, diskSpindles: 0, secondaryMemoryMib: 512 },
    diskMib: { xenvg: 2304 },
  });
});

test("two servers that start at the same time convert once", async () => {
  const [one, other] = await storesOf(former, 2);
  const both = await Promise.all([opened(one), opened(other)]);
  expect(both.map(({ snapshot }) => [snapshot.serial, snapshot.count("claim")])).toEqual([
    [10, 10],
    [10, 10],
  ]);
});

test("an entry that makes no claim is refused with its UUID and what is wrong", async () => {
  const broken = former.map((row) =>
    row.document.held_by === 13
      ? { ...row, document: { ...row.document, primary_node: undefined } }
      : row,
  );
  const [store] = await storesOf(broken as readonly StoredRow[]);
  const { uuid } = broken.find(({ document }) => document.held_by === 13) as StoredRow;
  await expect(opened(store)).rejects.toThrow(`Claim '${uuid}' is invalid: node: `);
});

test("a claim of one kind that is stored as one of another kind is refused", async () => {
  const [store] = await storesOf(former);
  const { snapshot: now } = await opened(store);
  const claims = [...now.claims()];
  const kinds = [...new Set(claims.map(({ kind }) => kind))];
  for (const claim of claims) {
    for (const kind of kinds.filter((one) => one !== claim.kind)) {
      const document = JSON.stringify({ ...claim, kind });
      const row = { type: "claim", uuid: claim.uuid, serial: 11, document } as const;
      const rows = [...former.slice(0, 2).map((one) => ({ ...one, serial: 11 })), row];
      const [broken] = createMemoryStores(1);
      await broken?.commit({
        ...{ expectedSerial: 0, serial: 11 },
        rows: rows.map((one) => ({
          ...one,
          document: typeof one.document === "string" ? one.document : JSON.stringify(one.document),
        })),
      });
      await expect(opened(broken), `${claim.kind} as ${kind}`).rejects.toThrow(
        `Claim '${claim.uuid}' is invalid`,
      );
    }
  }
});
