import { expect, test } from "vitest";
import { applied } from "../src/pages/create/apply.js";
import {
  argsOf,
  faultsOf,
  questionOf,
  requestOf,
  type Wanted,
  wantedIn,
} from "../src/pages/create/wanted.js";
import { mibOf, typedSize } from "../src/sizes.js";

const usual = wantedIn(new URLSearchParams());
const aWanted = (changes: Partial<Wanted>): Wanted => ({
  ...usual,
  ...{ os: "debian", template: "drbd" },
  ...changes,
});

test("sizes are read with and without units, and written in the largest whole one", () => {
  expect(["512", "2g", "1.5 GiB", "1T", "3 mb", "", "-1g", "1x"].map(mibOf)).toEqual([
    ...[512, 2048, 1536, 1_048_576, 3],
    ...[undefined, undefined, undefined],
  ]);
  expect([512, 2048, 1536, 1_048_576].map(typedSize)).toEqual(["512m", "2g", "1536m", "1t"]);
});

test.each<Partial<Wanted>>([
  {},
  { name: "web1", memory: "4g", disks: ["1g", "2g"], reserve: true, start: false, check: true },
  { nics: [], disks: [] },
  {
    nics: [
      { network: "lan", ip: "pool" },
      { network: "", ip: "192.0.2.7" },
    ],
    tags: "a b",
  },
])("the form %j is the same after a round trip through the URL", (changes) => {
  const wanted = aWanted(changes);
  const kept = Object.entries(argsOf(wanted)).filter(([, value]) => value !== "");
  expect(wantedIn(new URLSearchParams(kept))).toEqual(wanted);
});

test("an unchanged form leaves the URL empty", () => {
  expect(Object.values(argsOf(usual)).filter((value) => value !== "")).toEqual([]);
});

test("faults name their field, and a valid form has none", () => {
  expect(faultsOf(aWanted({}))).toEqual([]);
  const bad = aWanted({
    ...{ memory: "much", vcpus: "0", disks: ["1g", "big"], primary: "n1", secondary: "n1" },
  });
  expect(faultsOf(bad).map(({ field }) => field)).toEqual([
    ...["memory", "vcpus", "disk1", "secondary"],
  ]);
});

test("hail places an instance unless nodes are chosen, and a reservation is not started", () => {
  const placed = requestOf(aWanted({ group: "g" }), "hail");
  expect(placed).toMatchObject({ iallocator: "hail", group_name: "g", start: true });
  const chosen = requestOf(aWanted({ primary: "n1", secondary: "n2", group: "g" }), "hail");
  expect(chosen).toMatchObject({ pnode: "n1", snode: "n2" });
  expect(JSON.parse(JSON.stringify(chosen))).not.toHaveProperty("group_name");
  expect(chosen).not.toHaveProperty("iallocator");
  const reserved = requestOf(aWanted({ reserve: true }), "hail");
  expect(reserved).toMatchObject({ forthcoming: true });
  expect(reserved).not.toHaveProperty("start");
});

test("the question to hail has sizes in MiB, and no disks for a template without disks", () => {
  const wanted = aWanted({ memory: "2g", vcpus: "3", disks: ["1g"], tags: "a,b" });
  expect(questionOf(wanted)).toMatchObject({
    ...{ beparams: { memory: 2048, vcpus: 3 }, disks: [{ size: 1024 }], tags: ["a", "b"] },
  });
  expect(questionOf({ ...wanted, template: "diskless" })).toMatchObject({ disks: [] });
});

test.each([
  [{ kind: "resize", resource: "memory", by: -512 }, { memory: "512m" }],
  [{ kind: "resize", resource: "vcpus", by: -1 }, { vcpus: "1" }],
  [{ kind: "resize", resource: "disks", by: -1 }, { disks: ["3g"] }],
  [{ kind: "resize", resource: "disk", by: -1024 }, { disks: ["2g", "2g"] }],
  [{ kind: "resize", resource: "disk", by: -1025 }, { disks: ["2047m", "2g"] }],
  [{ kind: "resize", resource: "disk", by: 2048 }, { disks: ["3584m", "3584m"] }],
  [{ kind: "remove-tag", tag: "a" }, { tags: "b" }],
  [{ kind: "drop-group-name" }, { group: "" }],
])("the suggestion %j changes the form to %j", (change, changes) => {
  const form = { memory: "1g", vcpus: "2", disks: ["3g", "2g"], tags: "a b", group: "g" };
  const before = aWanted(form);
  expect(applied(before, [change])).toEqual({ ...before, ...changes });
});
