import { readFileSync } from "node:fs";
import type { JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntGroup } from "../src/programs/gnt-group.js";
import { program as gntNetwork } from "../src/programs/gnt-network.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { answering, fakeCluster, type Thing } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

/** Answer of a server of ours for a new cluster. */
const info = JSON.parse(
  readFileSync(new URL("fixtures/cluster-info.json", import.meta.url), "utf8"),
) as JsonObject;
const golden = (name: string) => `golden/${name}.txt`;

describe("gnt-cluster info", () => {
  const cluster = fakeCluster({ info: async () => info });

  test("cluster info shows all cluster-wide values", async () => {
    const { code, stdout, stderr } = await runLine(gntCluster, "info", { cluster });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(golden("cluster-info"));
  });

  test("cluster info writes numbers as Roman ones where possible", async () => {
    const { stdout } = await runLine(gntCluster, "info --roman", { cluster });
    expect(stdout).toContain("  candidate pool size: X\n");
    expect(stdout).toContain("  ssh_key_bits: 2048\n");
    expect(stdout).toContain("    disk-size: MXXIV\n");
    expect(stdout).toContain("    resync-rate: 61440\n");
  });

  test("cluster info shows allocators by type of request if there are several", async () => {
    const default_iallocators = { allocate: ["hail", "mine"], relocate: ["hail"] };
    const several = fakeCluster({ info: async () => ({ ...info, default_iallocators }) });
    const { stdout } = await runLine(gntCluster, "info", { cluster: several });
    expect(stdout).toContain(
      "  default instance allocator: \n    allocate: hail, mine\n    relocate: hail\n",
    );
  });

  test("cluster info --json prints the server's answer", async () => {
    const { stdout } = await runLine(gntCluster, "info --json", { cluster });
    expect(JSON.parse(stdout)).toEqual(info);
  });

  test("show-ispecs-cmd prints a command that creates a cluster with the same limits", async () => {
    const { stdout } = await runLine(gntCluster, "show-ispecs-cmd", { cluster });
    expect(stdout).toBe(
      "gnt-cluster init --ipolicy-std-specs cpu-count=1,disk-count=1,disk-size=1024,memory-size=128,nic-count=1,spindle-use=1" +
        " --ipolicy-bounds-specs min:cpu-count=1,disk-count=1,disk-size=1024,memory-size=128,nic-count=1,spindle-use=1" +
        "/max:cpu-count=8,disk-count=16,disk-size=1048576,memory-size=32768,nic-count=8,spindle-use=12 demo.example.org\n",
    );
  });
});

const policy = info.ipolicy as JsonObject;
const groups = [
  {
    name: "default",
    ndparams: info.ndparams,
    custom_ndparams: {},
    diskparams: info.diskparams,
    custom_diskparams: {},
    ipolicy: policy,
    custom_ipolicy: {},
  },
  {
    name: "rack2",
    ndparams: { ...(info.ndparams as JsonObject), spindle_count: 4 },
    custom_ndparams: { spindle_count: 4 },
    diskparams: info.diskparams,
    custom_diskparams: { drbd: { metavg: "fast" } },
    ipolicy: policy,
    custom_ipolicy: {
      minmax: [{ min: { "cpu-count": 2 }, max: { "cpu-count": 4 } }],
      "vcpu-ratio": 2,
      "disk-templates": ["plain"],
    },
  },
] as readonly Thing[];

describe("gnt-group info", () => {
  const cluster = fakeCluster({ query: answering(groups) });

  test("group info distinguishes own values from inherited ones", async () => {
    const { stdout } = await runLine(gntGroup, "info", { cluster });
    await expect(stdout).toMatchFileSnapshot(golden("group-info"));
  });

  test("group show-ispecs-cmd prints commands that create groups with the same limits", async () => {
    const { stdout } = await runLine(gntGroup, "show-ispecs-cmd", { cluster });
    expect(stdout).toBe(
      "gnt-group add default\ngnt-group add --ipolicy-bounds-specs min:cpu-count=2/max:cpu-count=4 rack2\n",
    );
    const all = await runLine(gntGroup, "show-ispecs-cmd --include-defaults default", { cluster });
    expect(all.stdout).toMatch(/^gnt-group add --ipolicy-bounds-specs min:.*\/max:.* default\n$/);
    expect(all.stdout).not.toContain("std");
  });
});

const plain = { master_candidate: true, drained: false, offline: false, master_capable: true };
const nodes = [
  {
    name: "node10.example.org",
    pip: "192.0.2.10",
    sip: "198.51.100.10",
    ...plain,
    vm_capable: false,
    powered: true,
    ndparams: { ssh_port: 2222 },
    custom_ndparams: { ssh_port: 2222 },
    pinst_list: [],
    sinst_list: [],
  },
  {
    name: "node2.example.org",
    pip: "192.0.2.2",
    sip: "192.0.2.2",
    ...plain,
    vm_capable: true,
    powered: null,
    ndparams: { ssh_port: 22 },
    custom_ndparams: {},
    pinst_list: ["web10", "web9"],
    sinst_list: [],
  },
];

describe("gnt-node info", () => {
  const cluster = fakeCluster({ query: answering(nodes) });

  test("node info shows instances of vm_capable nodes, and power with an out-of-band helper", async () => {
    const line = "info node10.example.org node2.example.org nosuch";
    const { code, stdout } = await runLine(gntNode, line, { cluster });
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(golden("node-info"));
  });

  test("node info prints an empty line for an unknown node", async () => {
    expect(await runLine(gntNode, "info nosuch", { cluster })).toEqual({
      code: 0,
      stdout: "\n",
      stderr: "",
    });
  });
});

describe("gnt-network info", () => {
  const network = {
    name: "blue",
    network: "10.0.0.0/25",
    gateway: null,
    network6: null,
    gateway6: null,
    mac_prefix: "aa:00:01",
    free_count: 124,
    reserved_count: 4,
    serial_no: 3,
    map: `XXX${".".repeat(124)}X`,
    external_reservations: "10.0.0.0, 10.0.0.1, 10.0.0.127",
    group_list: [["default", "bridged", "br1", ""]],
    inst_list: ["web1"],
    uuid: "11111111-1111-4111-8111-111111111111",
  };
  const web1 = {
    name: "web1",
    "nic.ips": [null, "10.0.0.2"],
    "nic.networks": [null, network.uuid],
  };
  const cluster = fakeCluster({
    query: (kind, fields, filter) =>
      answering(kind === "network" ? [network] : [web1])(
        kind,
        fields,
        kind === "network" ? filter : null,
      ),
  });

  test("network info draws the address map, and names the instances with addresses", async () => {
    const { stdout } = await runLine(gntNetwork, "info blue", { cluster });
    await expect(stdout).toMatchFileSnapshot(golden("network-info"));
  });

  test("network info prints nothing for an unknown network", async () => {
    expect(await runLine(gntNetwork, "info nosuch", { cluster })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});
