import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import { faultsAtRest, lostData, lostSystems } from "@ganeti-ts/simulated-nodes/at-rest";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { reached, recoverAll, setOffline } from "../../../test/support/next-server.js";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

async function stage() {
  const cluster = await simulatedCluster({
    cluster: {
      enabled_disk_templates: ["file", "plain"],
      file_storage_dir: "/srv/file",
    },
  });
  const create = (name: string, more = {}) =>
    cluster.run(
      creationOf(name, {
        disk_template: "file",
        pnode: "node2.example.com",
        start: false,
        ignore_ipolicy: true,
        ...more,
      }),
    );
  expect((await create("web1.example.com")).status).toBe("success");
  const rename = (new_name: string) =>
    cluster.run({ OP_ID: "OP_INSTANCE_RENAME", instance_name: "web1.example.com", new_name });
  const { config, simulated, nodes } = cluster;
  const refuse = (call: NodeCallName) =>
    simulated.fail({ kind: "refused", call, node: nodes[1] ?? "" });
  const faults = () => [
    ...faultsAtRest(config.snapshot, simulated),
    ...lostData(config.snapshot, simulated),
    ...lostSystems(config.snapshot, simulated),
  ];
  return { ...cluster, create, rename, refuse, faults };
}

test("renaming a stopped instance moves its files to the new name", async () => {
  const { rename, config, run } = await stage();
  const { uuid, disks } = config.snapshot.expectInstance("web1");
  expect(await rename("web2.example.com")).toEqual({
    status: "success",
    result: "web2.example.com",
    log: [],
  });
  expect(config.snapshot.expectInstance("web2")).toMatchObject({ uuid, disks });
  const [disk] = config.snapshot.disksOf(config.snapshot.expectInstance("web2"));
  expect(disk?.logical_id?.[1]).toMatch(/^\/srv\/file\/web2\.example\.com\/.*\.file\.disk0$/);
  const start = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web2.example.com" };
  expect((await run(start)).status).toBe("success");
});

test("a rename is refused for names in use or reserved, and for running instances", async () => {
  const { rename, create, run } = await stage();
  await create("web2.example.com", { forthcoming: true });
  expect((await rename("web2.example.com")).result).toEqual(
    refused("Instance 'web2.example.com' is already in the cluster", "already_exists"),
  );
  await run({ OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1.example.com" });
  expect((await rename("web3.example.com")).result).toEqual(
    refused("Instance 'web1.example.com' is marked to be up, cannot rename", "wrong_state"),
  );
});

test("files whose folder cannot be renamed are moved one by one", async () => {
  const { rename, config, refuse, faults } = await stage();
  const repair = refuse("file_storage_dir_rename");
  expect((await rename("web2.example.com")).result).toMatchObject(
    failed(expect.stringContaining("(but the instance has been renamed in Ganeti)")),
  );
  expect(config.snapshot.findInstance("web2.example.com")).toBeDefined();
  expect(faults()).toEqual([]);
  repair();
});

/** The instance is web2, and its file still where that of web1 was. */
async function halfRenamed() {
  const cluster = await stage();
  const repairs = (["file_storage_dir_rename", "blockdev_rename"] as const).map(cluster.refuse);
  expect((await cluster.rename("web2.example.com")).status).toBe("error");
  expect([...cluster.config.snapshot.claims()]).toHaveLength(1);
  return { ...cluster, repair: () => repairs.map((one) => one()) };
}

test("a file that could not be moved follows later, and the instance is not renamed again before", async () => {
  const { repair, run, config, simulated, faults } = await halfRenamed();
  const again = { OP_ID: "OP_INSTANCE_RENAME", new_name: "web3.example.com" };
  const on = { instance_name: "web2.example.com" };
  const refusal = refused(expect.stringContaining("is not in its place yet"), expect.anything());
  expect((await run({ ...again, ...on })).result).toEqual(refusal);
  expect((await run({ OP_ID: "OP_INSTANCE_RECREATE_DISKS", ...on })).result).toEqual(refusal);
  repair();
  await recoverAll(config, simulated);
  expect(faults()).toEqual([]);
  expect((await run({ ...again, ...on })).status).toBe("success");
  expect(faults()).toEqual([]);
});

test("a file that could not be moved is removed with its instance", async () => {
  const { repair, run, config, simulated, faults } = await halfRenamed();
  const removal = { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "web2.example.com" };
  expect((await run({ ...removal, ignore_failures: true })).status).toBe("success");
  repair();
  await recoverAll(config, simulated);
  expect(faults()).toEqual([]);
});

test("no file is left if its instance is removed while recovery moves it", async () => {
  const { repair, run, config, simulated, faults } = await halfRenamed();
  repair();
  const removed: string[] = [];
  const nodes: NodeBackend = {
    introduce: (node) => simulated.introduce(node),
    call: async (node, name, args, caller) => {
      if (name === "blockdev_rename") {
        const { status } = await run({ OP_ID: "OP_INSTANCE_REMOVE", instance_name: "web2" });
        removed.push(status);
      }
      return simulated.call(node, name, args, caller);
    },
  };
  await recoverAll(config, nodes);
  expect(removed).toEqual(["success"]);
  await recoverAll(config, simulated);
  expect(faults()).toEqual([]);
});

test("a file on an offline node is moved when the node is back", async () => {
  const cluster = await halfRenamed();
  const { repair, config, faults } = cluster;
  repair();
  await setOffline(cluster, "node2.example.com", true);
  await recoverAll(config, reached(cluster));
  expect([...config.snapshot.claims()]).toHaveLength(1);
  await setOffline(cluster, "node2.example.com", false);
  await recoverAll(config, reached(cluster));
  expect(faults()).toEqual([]);
});
