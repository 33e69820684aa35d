import { listedPaths } from "@ganeti-ts/node-calls";
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "../support/simulated.js";

const caller = { lease: "1:1", signal: new AbortController().signal };
const data = "/var/lib/ganeti";

/** Writes a file on a node. */
const file = (
  { simulated, nodes }: SimulatedCluster,
  node: number,
  path: string,
  content: string,
) => simulated.call(nodes[node - 1] ?? "", "upload_file", uploadOf(path, content), caller);
const filesOf = ({ simulated, nodes }: SimulatedCluster, node: number) =>
  simulated.stateOf(nodes[node - 1] ?? "")?.files ?? {};

test("verification reports ssconf files that a returned node has missed, until they are distributed again", async () => {
  // A node that returns as a candidate would get them at once.
  const { run } = await simulatedCluster({ nodeCount: 3, cluster: { candidate_pool_size: 2 } });
  const done = async (OP_ID: string, more: JsonObject = {}) => {
    const ran = await run({ OP_ID, ...more });
    expect(ran.status, JSON.stringify(ran.result)).toBe("success");
    return ran;
  };
  const stale = async () => {
    const { log } = await done("OP_CLUSTER_VERIFY_GROUP", { group_name: "default" });
    return log.map(String).filter((line) => line.includes("ssconf_"));
  };
  await done("OP_CLUSTER_REDIST_CONF");
  expect(await stale()).toEqual([]);
  const modify = { node_name: "node3", force: true };
  await done("OP_NODE_SET_PARAMS", { ...modify, offline: true });
  await done("OP_TAGS_SET", { kind: "cluster", tags: ["later"] });
  await done("OP_CLUSTER_REDIST_CONF");
  await done("OP_NODE_SET_PARAMS", { ...modify, offline: false });
  const [line = ""] = (await stale()).filter((text) => text.includes("cluster_tags"));
  expect(line).toContain(
    "File /var/lib/ganeti/ssconf_cluster_tags found with 2 different checksums",
  );
  // The order of the variants is that of their checksums.
  expect(line).toMatch(/on node1.example.com, node2.example.com[;)]/);
  expect(line).toMatch(/on node3.example.com[;)]/);
  await done("OP_CLUSTER_REDIST_CONF");
  expect(await stale()).toEqual([]);
});

const upToDate = (written: number, all: number) =>
  ` - INFO: The files of ${written} of ${all} nodes are up to date; instances, groups, networks and nodes that return` +
  " reach them only with the next gnt-cluster redist-conf";

describe("redistribution", () => {
  const redistribution = { OP_ID: "OP_CLUSTER_REDIST_CONF" };

  test("a redistribution sends common files to all nodes, and some only to nodes with instances", async () => {
    const cluster = await simulatedCluster({ nodeCount: 4 });
    const { run, config, put, nodes } = cluster;
    const { cluster: before } = config.snapshot;
    const hvparams = { ...before.hvparams, kvm: { vnc_password_file: "/etc/ganeti/vnc" } };
    const object = { ...before, hvparams, modify_etc_hosts: true } as typeof before;
    await put({ kind: "cluster", object });
    const change = async (at: number, more: JsonObject) => {
      const node = config.snapshot.expectNode(`node${at}`);
      await put({ kind: "put", type: "node", object: { ...node, ...more } as typeof node });
    };
    await change(3, { vm_capable: false });
    await change(4, { offline: true });
    const everywhere = [`${data}/hmac.key`, `${data}/rapi/users`, "/etc/hosts"];
    for (const path of [...everywhere, "/etc/ganeti/vnc", "/etc/motd"]) {
      await file(cluster, 1, path, `of the master: ${path}`);
    }
    await file(
      cluster,
      1,
      "/etc/ganeti/redistribute-files",
      "# mine\n/etc/motd # today\n/etc/lost\n",
    );
    const { status, log } = await run(redistribution);
    expect(status).toBe("success");
    expect(log).toEqual([
      " - WARNING: File /etc/lost of /etc/ganeti/redistribute-files is not there",
      upToDate(3, 4),
    ]);
    const list = filesOf(cluster, 2)["/etc/ganeti/redistribute-files"] ?? "";
    // A node takes only files that its list names.
    expect(listedPaths(list)).toEqual(["/etc/motd", "/etc/lost", "/etc/ganeti/vnc"]);
    const shared = [...everywhere, "/etc/motd", "/etc/ganeti/redistribute-files"];
    expect(Object.keys(filesOf(cluster, 2))).toEqual(
      expect.arrayContaining([...shared, "/etc/ganeti/vnc"]),
    );
    expect(filesOf(cluster, 2)["/etc/motd"]).toBe("of the master: /etc/motd");
    expect(Object.keys(filesOf(cluster, 3))).toEqual(expect.arrayContaining(shared));
    expect(filesOf(cluster, 3)).not.toHaveProperty("/etc/ganeti/vnc");
    expect(filesOf(cluster, 4)).toEqual({});
    expect(nodes).toHaveLength(4);
  });

  test("a node that refuses a file causes a warning, and the redistribution goes on", async () => {
    const cluster = await simulatedCluster({ nodeCount: 3 });
    await file(cluster, 1, `${data}/hmac.key`, "secret\n");
    const fault = { kind: "refused", call: "upload_file", message: "disk full" } as const;
    cluster.simulated.fail({ ...fault, node: cluster.nodes[1] ?? "" });
    const { status, log } = await cluster.run(redistribution);
    expect({ status, log }).toEqual({
      status: "success",
      log: [
        ` - WARNING: Copy of file ${data}/hmac.key to node node2.example.com failed: disk full`,
        upToDate(2, 3),
      ],
    });
    expect(filesOf(cluster, 3)[`${data}/hmac.key`]).toBe("secret\n");
  });

  test("what the server has added to the list of a former master is not kept as the owner's", async () => {
    const cluster = await simulatedCluster({ nodeCount: 2 });
    const withFile = (vnc_password_file: string) => {
      const { cluster: before } = cluster.config.snapshot;
      const hvparams = { ...before.hvparams, kvm: { vnc_password_file } };
      return cluster.put({ kind: "cluster", object: { ...before, hvparams } as typeof before });
    };
    await withFile("/etc/vnc");
    await file(cluster, 1, "/etc/vnc", "first\n");
    await file(cluster, 1, "/etc/tls", "second\n");
    await cluster.run(redistribution);
    const list = "/etc/ganeti/redistribute-files";
    await file(cluster, 1, list, filesOf(cluster, 2)[list] ?? "");
    await withFile("/etc/tls");
    const { log } = await cluster.run(redistribution);
    expect(log).toEqual([upToDate(2, 2)]);
    expect(listedPaths(filesOf(cluster, 2)[list] ?? "")).toEqual(["/etc/tls"]);
  });

  test("a modification of the cluster that adds common files sends them and no others", async () => {
    const cluster = await simulatedCluster({ nodeCount: 2 });
    const script = "/etc/ganeti/scripts/master-ip-setup";
    await file(cluster, 1, script, "#!/bin/sh\n");
    const modify = { OP_ID: "OP_CLUSTER_SET_PARAMS" };
    expect((await cluster.run({ ...modify, max_running_jobs: 7 })).status).toBe("success");
    expect(filesOf(cluster, 2)).not.toHaveProperty(script);
    const { log } = await cluster.run({ ...modify, use_external_mip_script: true });
    expect([log, filesOf(cluster, 2)[script]]).toEqual([[], "#!/bin/sh\n"]);
    // All nodes have the file already.
    await file(cluster, 2, script, "mine\n");
    await cluster.run({ ...modify, use_external_mip_script: true });
    expect(filesOf(cluster, 2)[script]).toBe("mine\n");
  });

  test("a new node gets the common files, and all nodes get a new secret", async () => {
    const cluster = await simulatedCluster({ nodeCount: 2 });
    const { run, simulated, config } = cluster;
    await file(cluster, 1, `${data}/hmac.key`, "secret\n");
    await simulated.addHost({ name: "node3.example.com" });
    const ran = await run({
      OP_ID: "OP_NODE_ADD",
      node_name: "node3.example.com",
      primary_ip: "192.0.2.3",
    });
    expect(ran.status, JSON.stringify(ran.result)).toBe("success");
    const { uuid } = config.snapshot.expectNode("node3");
    expect(simulated.stateOf(uuid)?.files[`${data}/hmac.key`]).toBe("secret\n");
    await run({
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web1.example.com",
      mode: "create",
      os_type: "noop+default",
      disk_template: "plain",
      disks: [{ size: 1024 }],
      nics: [{}],
      pnode: "node1",
      hypervisor: "kvm",
    });
    const prepared = { OP_ID: "OP_BACKUP_PREPARE", instance_name: "web1", mode: "remote" };
    expect((await run(prepared)).status).toBe("success");
    const secret = filesOf(cluster, 1)[`${data}/cluster-domain-secret`];
    expect(secret).toMatch(/^[0-9a-f]+\n$/);
    expect(filesOf(cluster, 2)[`${data}/cluster-domain-secret`]).toBe(secret);
  });
});

describe("verification of a group finds", () => {
  const verifying = { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" };
  const faultsOf = async ({ run }: SimulatedCluster) => {
    const { result, log } = await run(verifying);
    return { result, faults: log.filter((line) => /ERROR|WARNING/.test(String(line))) };
  };

  test("no faults on nodes that agree", async () => {
    const { result, faults } = await faultsOf(await simulatedCluster());
    expect(result).toBe(true);
    expect(faults.filter((line) => !String(line).includes("certificates"))).toEqual([]);
  });

  test("physical volumes of different sizes on exclusive storage", async () => {
    const volumeGroups = { xenvg: { "/dev/a": 30_000, "/dev/b": 40_000 } };
    const cluster = await simulatedCluster({ host: { volumeGroups } });
    const { cluster: before } = cluster.config.snapshot;
    const shared = await faultsOf(cluster);
    expect(shared.faults.join()).not.toContain("PV sizes");
    const ndparams = { ...before.ndparams, exclusive_storage: true };
    await cluster.put({ kind: "cluster", object: { ...before, ndparams } });
    const { result, faults } = await faultsOf(cluster);
    expect(result).toBe(false);
    expect(faults).toContain(
      "  - ERROR: group default: PV sizes differ too much in the group; smallest (30000 MB) is on node1.example.com, biggest (40000 MB) is on node2.example.com",
    );
  });

  test("mirrors of different DRBD versions", async () => {
    const cluster = await simulatedCluster();
    const state = cluster.simulated.stateOf(cluster.nodes[1] ?? "") as { drbdVersion: string };
    state.drbdVersion = "9.1.0";
    const { result, faults } = await faultsOf(cluster);
    expect(result).toBe(true);
    for (const text of [
      "node1.example.com: DRBD version mismatch: 8.4.11",
      "node2.example.com: DRBD version mismatch: 9.1.0",
    ]) {
      expect(faults).toContain(`  - WARNING: node ${text}`);
    }
  });

  test("forbidden folders for disks in files", async () => {
    const cluster = await simulatedCluster({
      initial: { diskTemplates: ["plain", "file"] },
    });
    await file(cluster, 1, "/etc/ganeti/file-storage-paths", "/srv/ganeti\n/usr/lib\n/etc\n");
    await file(cluster, 2, "/etc/ganeti/file-storage-paths", "/etc\n");
    expect((await faultsOf(cluster)).faults).toContain(
      "  - ERROR: node node1.example.com: Found forbidden file storage paths: /usr/lib, /etc",
    );
  });

  test("files that are missing or different on some nodes", async () => {
    const cluster = await simulatedCluster({ nodeCount: 3 });
    await file(cluster, 1, `${data}/hmac.key`, "a");
    await file(cluster, 3, `${data}/hmac.key`, "b");
    await file(cluster, 2, `${data}/rapi/users`, "jane");
    const { result, faults } = await faultsOf(cluster);
    expect(result).toBe(false);
    expect(faults).toEqual(
      expect.arrayContaining([
        `  - ERROR: cluster : File ${data}/hmac.key is missing from node(s) node2.example.com`,
        expect.stringMatching(
          /File .*hmac\.key found with 2 different checksums \(variant 1 on node\d\.example\.com; variant 2 on node\d\.example\.com\)$/,
        ),
        `  - ERROR: cluster : File ${data}/rapi/users is optional, but it must exist on all or no nodes (not found on node1.example.com, node3.example.com)`,
      ]),
    );
  });
});

const uploadOf = (path: string, content: string) => ({
  path,
  content,
  mode: 0o100600,
  owner: "root",
  group: "root",
  accessedAt: 0,
  modifiedAt: 0,
});
