import { expect, test } from "vitest";
import { openRapi, type Rapi } from "../src/index.js";
import { json, serving } from "./fake-rapi.js";

test.each<[string, unknown, (rapi: Rapi) => Promise<unknown>]>([
  [
    "POST /2/instances?dry-run=1",
    { __version__: 1, forthcoming: true, instance_name: "a" },
    (rapi) => rapi.instances.create({ forthcoming: true, instance_name: "a" }, { dryRun: true }),
  ],
  [
    "POST /2/instances/a/create",
    { start: false },
    (rapi) => rapi.instances.commit("a", { start: false }),
  ],
  ["DELETE /2/instances/a", {}, (rapi) => rapi.instances.remove("a")],
  [
    "PUT /2/instances/a/startup?force=1",
    {},
    (rapi) => rapi.instances.startup("a", { force: true }),
  ],
  [
    "PUT /2/instances/a/shutdown",
    { timeout: 5 },
    (rapi) => rapi.instances.shutdown("a", { timeout: 5 }),
  ],
  [
    "POST /2/instances/a/reboot?type=soft&ignore_secondaries=0&reason=x",
    {},
    (rapi) =>
      rapi.instances.reboot("a", { type: "soft", ignoreSecondaries: false }, { reason: "x" }),
  ],
  [
    "POST /2/instances/a/disk/2/grow",
    { amount: "1g" },
    (rapi) => rapi.instances.growDisk("a", 2, { amount: "1g" }),
  ],
  [
    "PUT /2/instances/a/prepare-export?mode=local",
    {},
    (rapi) => rapi.instances.prepareExport("a", "local"),
  ],
  [
    "POST /2/nodes/n/evacuate",
    { mode: "primary-only" },
    (rapi) => rapi.nodes.evacuate("n", { mode: "primary-only" }),
  ],
  [
    "PUT /2/nodes/n/storage/modify?storage_type=lvm-pv&name=sda&allocatable=0",
    {},
    (rapi) =>
      rapi.nodes.modifyStorage("n", { type: "lvm-pv", name: "sda" }, { allocatable: false }),
  ],
  [
    "PUT /2/groups/g/assign-nodes?force=1",
    { nodes: ["n"] },
    (rapi) => rapi.groups.assignNodes("g", ["n"], { force: true }),
  ],
  [
    "PUT /2/networks/w/disconnect",
    { group_name: "g" },
    (rapi) => rapi.networks.disconnect("w", "g"),
  ],
  ["PUT /2/modify", { candidate_pool_size: 3 }, (rapi) => rapi.modify({ candidate_pool_size: 3 })],
])("%s", async (request, body, act) => {
  const server = await serving((_, response) => json(response, 17, 200));
  expect(await act(openRapi({ url: server.url }))).toBe(17);
  const [asked] = server.asked;
  expect([`${asked?.method} ${asked?.url}`, asked?.body]).toEqual([request, body]);
});
