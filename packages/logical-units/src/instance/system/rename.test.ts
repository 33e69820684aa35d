import { expect, test } from "vitest";
import { simulatedCluster } from "../../../test/support/simulated.js";

async function stage() {
  const cluster = await simulatedCluster({
    cluster: {
      enabled_disk_templates: ["file", "plain"],
      file_storage_dir: "/srv/file",
    },
  });
  const create = (name: string, more = {}) =>
    cluster.run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: name,
      mode: "create",
      nics: [{}],
      os_type: "noop+default",
      disk_template: "file",
      disks: [{ size: 1024 }],
      pnode: "node1.example.com",
      start: false,
      ignore_ipolicy: true,
      ...more,
    });
  expect((await create("web1.example.com")).status).toBe("success");
  const rename = (new_name: string) =>
    cluster.run({ OP_ID: "OP_INSTANCE_RENAME", instance_name: "web1.example.com", new_name });
  return { ...cluster, create, rename };
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
  expect((await rename("web2.example.com")).result).toEqual([
    "OpPrereqError",
    ["Instance 'web2.example.com' is already in the cluster", "already_exists"],
  ]);
  await run({ OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1.example.com" });
  expect((await rename("web3.example.com")).result).toEqual([
    "OpPrereqError",
    ["Instance 'web1.example.com' is marked to be up, cannot rename", "wrong_state"],
  ]);
});
