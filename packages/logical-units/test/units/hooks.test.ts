import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { allUnits } from "../../src/all-units.js";
import { creating, documented, ofWeb1, stage, web1 } from "../support/hooks.js";
import { simulatedCluster } from "../support/simulated.js";

test("operations run exactly the hook paths that Ganeti documents", () => {
  const found = allUnits.flatMap(({ opcode, hooks }) =>
    hooks === undefined ? [] : [[opcode, `${hooks.path} ${hooks.object}`]],
  );
  expect(Object.fromEntries(found.sort())).toEqual(documented);
});

describe("hook variables", () => {
  test("hooks of a creation get the values of the new instance, including its address", async () => {
    const { told, instance } = await stage();
    const { pre, post } = await told(creating());
    expect([pre.on, post.on]).toEqual(["1 2 3", "1 2 3"]);
    const { mac, uuid: _ } = instance("web1").nics[0] ?? {};
    expect(pre.told).toMatchObject({
      PATH: "/sbin:/bin:/usr/sbin:/usr/bin",
      GANETI_HOOKS_VERSION: "2",
      GANETI_OP_CODE: "OP_INSTANCE_CREATE",
      GANETI_OBJECT_TYPE: "INSTANCE",
      GANETI_HOOKS_PATH: "instance-add",
      GANETI_HOOKS_PHASE: "pre",
      GANETI_CLUSTER: "cluster.example.com",
      GANETI_MASTER: "node1.example.com",
      GANETI_DATA_DIR: "/var/lib/ganeti",
      GANETI_ADD_MODE: "create",
      GANETI_OP_TARGET: "web1.example.com",
      GANETI_INSTANCE_NAME: "web1.example.com",
      GANETI_INSTANCE_PRIMARY: "node2.example.com",
      GANETI_INSTANCE_STATUS: "True",
      GANETI_INSTANCE_SECONDARIES: "node3.example.com",
      GANETI_INSTANCE_TAGS: "prod",
      GANETI_INSTANCE_OS_TYPE: "noop+default",
      GANETI_INSTANCE_DISK_TEMPLATE: "drbd",
      GANETI_INSTANCE_MINMEM: "512",
      GANETI_INSTANCE_MAXMEM: "512",
      GANETI_INSTANCE_MEMORY: "512",
      GANETI_INSTANCE_VCPUS: "1",
      GANETI_INSTANCE_HYPERVISOR: "kvm",
      GANETI_INSTANCE_NIC_COUNT: "1",
      GANETI_INSTANCE_NIC0_MAC: mac,
      GANETI_INSTANCE_NIC0_IP: "198.51.100.7",
      GANETI_INSTANCE_NIC0_MODE: "bridged",
      GANETI_INSTANCE_NIC0_BRIDGE: "xen-br0",
      GANETI_INSTANCE_NIC0_LINK: "xen-br0",
      GANETI_INSTANCE_NIC0_VLAN: "",
      GANETI_INSTANCE_DISK_COUNT: "1",
      GANETI_INSTANCE_DISK0_SIZE: "1024",
      GANETI_INSTANCE_DISK0_NAME: "root",
      GANETI_INSTANCE_DISK0_MODE: "rw",
      GANETI_INSTANCE_BE_auto_balance: "True",
      GANETI_INSTANCE_HV_acpi: "True",
    });
    expect(pre.told).not.toHaveProperty("GANETI_INSTANCE_FORTHCOMING");
    expect(post.told).toMatchObject({
      GANETI_HOOKS_PHASE: "post",
      GANETI_INSTANCE_NAME: "web1.example.com",
      GANETI_POST_INSTANCE_NAME: "web1.example.com",
    });
  });

  test("hooks of instance operations get the instance and the parameters of the operation", async () => {
    const { told, config, nodes, simulated } = await stage();
    await told(creating());
    const disk = config.snapshot.disksOf(config.snapshot.expectInstance("web1"))[0];
    const [primary, secondary, port] = disk?.logical_id ?? [];
    const cases: readonly (readonly [JsonObject, string, string, JsonObject, JsonObject?])[] = [
      [
        ofWeb1("OP_INSTANCE_SHUTDOWN", { timeout: 7 }),
        "1 2 3",
        "1 2 3",
        {
          TIMEOUT: "7",
          INSTANCE_STATUS: "up",
          INSTANCE_DISK0_PNODE: primary ?? null,
          INSTANCE_DISK0_SNODE: secondary ?? null,
          INSTANCE_DISK0_PORT: `${port}`,
          INSTANCE_DISK0_DEV_TYPE: "drbd",
          INSTANCE_DISK0_DATA_VG: "xenvg",
        },
        { INSTANCE_STATUS: "down" },
      ],
      [ofWeb1("OP_INSTANCE_STARTUP", { force: true }), "1 2 3", "1 2 3", { FORCE: "True" }],
      [
        ofWeb1("OP_INSTANCE_REBOOT", { reboot_type: "hard" }),
        ...(["1 2 3", "1 2 3"] as const),
        { REBOOT_TYPE: "hard", IGNORE_SECONDARIES: "False", SHUTDOWN_TIMEOUT: "120" },
      ],
      [
        ofWeb1("OP_INSTANCE_SET_PARAMS", {
          beparams: { maxmem: 768 },
          nics: [["add", -1, { mac: "aa:00:00:00:00:99" }]],
        }),
        ...(["1 2 3", "1 2 3"] as const),
        {
          INSTANCE_MAXMEM: "768",
          INSTANCE_MEMORY: "768",
          INSTANCE_BE_maxmem: "512",
          INSTANCE_NIC_COUNT: "2",
          INSTANCE_NIC1_MAC: "aa:00:00:00:00:99",
        },
        { INSTANCE_BE_maxmem: "768", INSTANCE_NIC_COUNT: "2" },
      ],
      [
        ofWeb1("OP_INSTANCE_GROW_DISK", { disk: 0, amount: 512 }),
        ...(["1 2 3", "1 2 3"] as const),
        { DISK: "0", AMOUNT: "512", ABSOLUTE: "False", INSTANCE_DISK0_SIZE: "1024" },
        { INSTANCE_DISK0_SIZE: "1536" },
      ],
      [
        ofWeb1("OP_INSTANCE_REPLACE_DISKS", {
          mode: "replace_new_secondary",
          remote_node: "node4",
        }),
        ...(["1 2 4", "1 2 4"] as const),
        {
          MODE: "replace_new_secondary",
          NEW_SECONDARY: "node4",
          OLD_SECONDARY: "node3.example.com",
        },
      ],
      [
        ofWeb1("OP_INSTANCE_MIGRATE", { mode: "live" }),
        ...(["1 2 4", "1 2 4"] as const),
        {
          OLD_PRIMARY: "node2.example.com",
          NEW_PRIMARY: "node4.example.com",
          OLD_SECONDARY: "node4.example.com",
          NEW_SECONDARY: "node2.example.com",
          MIGRATE_CLEANUP: "False",
          ALLOW_RUNTIME_CHANGES: "True",
        },
        { INSTANCE_PRIMARY: "node4.example.com", NEW_PRIMARY: "node4.example.com" },
      ],
      [
        ofWeb1("OP_INSTANCE_FAILOVER"),
        ...(["1 2", "1 2 4"] as const),
        {
          IGNORE_CONSISTENCY: "False",
          FAILOVER_CLEANUP: "False",
          OLD_PRIMARY: "node4.example.com",
        },
      ],
      [
        ofWeb1("OP_BACKUP_EXPORT", { target_node: "node3" }),
        ...(["1 2 3", "1 2 3"] as const),
        { EXPORT_MODE: "local", EXPORT_NODE: "node3", REMOVE_INSTANCE: "False" },
      ],
      [ofWeb1("OP_INSTANCE_SHUTDOWN"), "1 2 4", "1 2 4", { TIMEOUT: "120" }],
      [ofWeb1("OP_INSTANCE_REINSTALL"), "1 2 4", "1 2 4", { INSTANCE_STATUS: "down" }],
      [ofWeb1("OP_INSTANCE_RECREATE_DISKS"), "1 2 4", "1 2 4", {}],
      [
        ofWeb1("OP_INSTANCE_RENAME", { new_name: "web9.example.com" }),
        ...(["1 2 4", "1 2 4"] as const),
        { INSTANCE_NAME: "web1.example.com", INSTANCE_NEW_NAME: "web9.example.com" },
        { INSTANCE_NAME: "web1.example.com" },
      ],
      [
        { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "web9.example.com" },
        ...(["1", "1 2 4"] as const),
        { SHUTDOWN_TIMEOUT: "120", INSTANCE_PRIMARY: "node2.example.com" },
        { INSTANCE_NAME: "web9.example.com" },
      ],
    ];
    for (const [op, before, after, environment, afterwards = {}] of cases) {
      const about = String(op.OP_ID);
      if (about === "OP_INSTANCE_RECREATE_DISKS") {
        for (const { volumeGroups } of nodes.flatMap((node) => simulated.stateOf(node) ?? [])) {
          for (const group of Object.values(volumeGroups)) group.volumes = {};
        }
      }
      const { pre, post } = await told(op);
      expect([about, pre.on, post.on]).toEqual([about, before, after]);
      expect(pre.told, about).toMatchObject(prefixed("GANETI_", environment));
      expect(post.told, about).toMatchObject(prefixed("GANETI_POST_", afterwards));
    }
  });

  test("hooks of moves, imports and group changes get the targets", async () => {
    const { told, put, config, nodes } = await stage();
    await told(creating({ disk_template: "plain", nics: [{}] }));
    const moved = await told(ofWeb1("OP_INSTANCE_MOVE", { target_node: "node3" }));
    expect(moved.pre).toMatchObject({ on: "1 2 3", told: { GANETI_TARGET_NODE: "node3" } });
    await told(ofWeb1("OP_BACKUP_EXPORT", { target_node: "node4" }));
    await told(ofWeb1("OP_INSTANCE_REMOVE"));
    const imported = await told(
      creating({ mode: "import", disk_template: "plain", disks: [], nics: [] }),
    );
    expect(imported.pre).toMatchObject({
      on: "1 2",
      told: {
        GANETI_ADD_MODE: "import",
        GANETI_SRC_NODE: "node4.example.com",
        GANETI_SRC_PATH: "/var/lib/ganeti/export/web1.example.com",
        GANETI_SRC_IMAGES: expect.stringMatching(
          /^\['\/var\/lib\/ganeti\/export\/web1\.example\.com\//,
        ),
      },
    });
    const added = await told({ OP_ID: "OP_GROUP_ADD", group_name: "g2" });
    expect(added.pre).toMatchObject({ on: "1", told: { GANETI_GROUP_NAME: "g2" } });
    const { uuid } = config.snapshot.expectGroup("g2");
    for (const node of nodes.slice(2)) {
      const object = config.snapshot.node(node);
      if (object) await put({ kind: "put", type: "node", object: { ...object, group: uuid } });
    }
    const changed = await told(ofWeb1("OP_INSTANCE_CHANGE_GROUP", { iallocator: "hail" }), "error");
    expect(changed.pre).toMatchObject({ on: "1", told: { GANETI_TARGET_GROUPS: uuid } });
    const modified = await told({
      OP_ID: "OP_GROUP_SET_PARAMS",
      group_name: "g2",
      alloc_policy: "last_resort",
    });
    expect(modified.pre.told).toMatchObject({ GANETI_NEW_ALLOC_POLICY: "last_resort" });
    const evacuated = await told({
      OP_ID: "OP_GROUP_EVACUATE",
      group_name: "g2",
      iallocator: "hail",
    });
    const { uuid: other } = config.snapshot.expectGroup("default");
    expect(evacuated.pre).toMatchObject({ on: "1 3 4", told: { GANETI_TARGET_GROUPS: other } });
    const renamed = await told({ OP_ID: "OP_GROUP_RENAME", group_name: "g2", new_name: "g3" });
    expect(renamed.pre).toMatchObject({
      on: "1 3 4",
      told: { GANETI_OLD_NAME: "g2", GANETI_NEW_NAME: "g3" },
    });
    const { told: first } = await stage();
    await first({ OP_ID: "OP_GROUP_ADD", group_name: "g2" });
    expect((await first({ OP_ID: "OP_GROUP_REMOVE", group_name: "g2" })).pre.on).toBe("1");
  });

  test("hooks of a reservation are marked as such, with empty strings for missing values", async () => {
    const { told } = await stage();
    const reserved = await told({
      OP_ID: "OP_INSTANCE_CREATE",
      ...web1,
      forthcoming: true,
      disk_template: "plain",
      disks: [{ size: 1024 }],
      nics: [{}],
      pnode: "node2",
    });
    const is = { GANETI_INSTANCE_FORTHCOMING: "1" };
    expect(reserved.pre).toMatchObject({ on: "1 2", told: { ...is, GANETI_INSTANCE_OS_TYPE: "" } });
    const op = ofWeb1("OP_INSTANCE_SET_PARAMS", { os_name: "noop+default", hvparams: {} });
    const modified = await told(op);
    expect(modified.pre).toMatchObject({ on: "1 2", told: is });
    const renamed = await told(ofWeb1("OP_INSTANCE_RENAME", { new_name: "web2.example.com" }));
    expect(renamed.pre.told).toMatchObject({ ...is, GANETI_INSTANCE_NEW_NAME: "web2.example.com" });
    const real = await told({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web2.example.com",
      commit: true,
      hypervisor: "kvm",
    });
    expect(real.pre.told).toMatchObject({ ...is, GANETI_HOOKS_PATH: "instance-add" });
    expect(
      (await told(ofWeb1("OP_INSTANCE_STARTUP", { instance_name: "web2" }))).pre.told,
    ).not.toHaveProperty("GANETI_INSTANCE_FORTHCOMING");
  });

  test("hooks of nodes, networks and the cluster get the planned values", async () => {
    const { told, simulated, config } = await stage();
    await simulated.addHost({ name: "node5.example.com" });
    const cluster = "cluster.example.com";
    const network = { OP_ID: "OP_NETWORK_ADD", network_name: "net", network: "10.1.0.0/24" };
    const connection = { group_name: "default", network_name: "net" };
    const cases: readonly (readonly [JsonObject, string, string, JsonObject])[] = [
      [
        { OP_ID: "OP_NODE_ADD", node_name: "node5.example.com", primary_ip: "192.0.2.5" },
        ...(["1 2 3 4", "1 2 3 4 5"] as const),
        {
          OP_TARGET: "node5.example.com",
          NODE_NAME: "node5.example.com",
          NODE_PIP: "192.0.2.5",
          NODE_SIP: "192.0.2.5",
          MASTER_CAPABLE: "True",
          VM_CAPABLE: "True",
        },
      ],
      [
        { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node5", drained: true },
        ...(["1 5", "1 5"] as const),
        { OP_TARGET: "node5", DRAINED: "True", OFFLINE: "None", MASTER_CANDIDATE: "None" },
      ],
      [
        { OP_ID: "OP_NODE_MIGRATE", node_name: "node2" },
        ...(["1", "1"] as const),
        { NODE_NAME: "node2", ALLOW_RUNTIME_CHANGES: "True" },
      ],
      [
        { OP_ID: "OP_NODE_REMOVE", node_name: "node5" },
        "1 2 3 4",
        "1 2 3 4 ?",
        { NODE_NAME: "node5" },
      ],
      [
        { ...network, gateway: "10.1.0.1", tags: ["a", "b"] },
        ...(["1", "1"] as const),
        {
          NETWORK_NAME: "net",
          NETWORK_SUBNET: "10.1.0.0/24",
          NETWORK_GATEWAY: "10.1.0.1",
          NETWORK_TAGS: "a b",
        },
      ],
      [
        { OP_ID: "OP_NETWORK_SET_PARAMS", network_name: "net", gateway: "10.1.0.2" },
        ...(["1", "1"] as const),
        { NETWORK_GATEWAY: "10.1.0.2" },
      ],
      [
        {
          OP_ID: "OP_NETWORK_CONNECT",
          ...connection,
          network_mode: "bridged",
          network_link: "xen-br0",
        },
        ...(["1 2 3 4", "1 2 3 4"] as const),
        { GROUP_NAME: "default", GROUP_NETWORK_MODE: "bridged", GROUP_NETWORK_LINK: "xen-br0" },
      ],
      [
        { OP_ID: "OP_NETWORK_DISCONNECT", ...connection },
        ...(["1 2 3 4", "1 2 3 4"] as const),
        { GROUP_NETWORK_MODE: "bridged", GROUP_NETWORK_VLAN: "" },
      ],
      [{ OP_ID: "OP_NETWORK_REMOVE", network_name: "net" }, "1", "1", { NETWORK_NAME: "net" }],
      [{ OP_ID: "OP_CLUSTER_POST_INIT" }, "", "1", {}],
      [
        { OP_ID: "OP_CLUSTER_SET_PARAMS", candidate_pool_size: 4 },
        ...(["1", "1"] as const),
        { OP_TARGET: cluster, NEW_VG_NAME: "None" },
      ],
      [
        { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" },
        ...(["", "1 2 3 4"] as const),
        {},
      ],
      [
        { OP_ID: "OP_CLUSTER_RENAME", name: "other.example.com" },
        ...(["1", "1 2 3 4"] as const),
        { OP_TARGET: cluster, NEW_NAME: "other.example.com" },
      ],
    ];
    for (const [op, before, after, environment] of cases) {
      const about = String(op.OP_ID);
      const { pre, post } = await told(op);
      const shown = post.on.split(" ").sort().join(" ");
      expect([about, pre.on, shown]).toEqual([about, before, after.split(" ").sort().join(" ")]);
      expect(pre.told, about).toMatchObject(prefixed("GANETI_", before === "" ? {} : environment));
    }
    expect(config.snapshot.cluster.cluster_name).toBe("other.example.com");
  });

  test("hooks of a cluster's destruction run on its master", async () => {
    const { run, simulated } = await simulatedCluster({ nodeCount: 1 });
    const told: string[] = [];
    simulated.addHook({
      directory: "cluster-destroy-post.d",
      name: "00",
      run: ({ GANETI_OP_TARGET: name }) => void told.push(name ?? ""),
    });
    expect(await run({ OP_ID: "OP_CLUSTER_DESTROY" })).toMatchObject({ status: "success" });
    expect(told).toEqual(["cluster.example.com"]);
  });
});

const prefixed = (prefix: string, variables: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(variables).map(([name, text]) => [prefix + name, text]));
