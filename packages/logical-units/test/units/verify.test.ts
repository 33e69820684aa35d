import type { DeviceAnswer, Verification } from "@ganeti-ts/node-calls";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { noopOs } from "@ganeti-ts/simulated-nodes";
import { expect, test } from "vitest";
import { type BusyCluster, busyCluster } from "./busy-cluster.js";

/** `change` contains the differences from a sound cluster, by the number of the node. */
async function cluster(
  change: (at: number) => Partial<Verification> = () => ({}),
  answers: Parameters<typeof busyCluster>[0] = {},
): Promise<BusyCluster> {
  let uuids: readonly string[] = [];
  const made = await busyCluster({
    node_verify: async (node, _, real: () => Promise<Verification>) => ({
      ...(await real()),
      clientCertificate: { severity: null, text: `digest of ${node}` },
      ...change(uuids.indexOf(node)),
    }),
    ...answers,
  });
  uuids = made.nodes;
  await made.config.change(({ cluster, ...now }) => {
    void now;
    const candidate_certs = Object.fromEntries(uuids.map((uuid) => [uuid, `digest of ${uuid}`]));
    return { changes: [{ kind: "cluster", object: { ...cluster, candidate_certs } }], value: null };
  });
  return made;
}

const verify = { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" };

const findings = (log: readonly Json[]) => log.filter((line) => String(line).startsWith("  - "));

test("verification of a sound group logs its steps and no errors", async () => {
  const { try: run } = await cluster();
  expect(await run(verify)).toEqual({
    status: "success",
    result: true,
    log: [
      "* Verifying group 'default'",
      "* Gathering data (3 nodes)",
      "* Gathering information about nodes (3 nodes)",
      "* Gathering information about the master node",
      "* Gathering disk information (3 nodes)",
      "* Verifying configuration file consistency",
      "* Verifying node status",
      "* Verifying instance status",
      "* Verifying orphan volumes",
      "* Verifying N+1 Memory redundancy",
      "* Other Notes",
      "  - NOTICE: 1 non-redundant instance(s) found.",
      "* Hooks Results",
    ],
  });
  expect(await run({ ...verify, group_name: "group2" })).toMatchObject({
    result: true,
    log: ["* Verifying group 'group2'", "* Empty node group, skipping verification"],
  });
});

const failing = (message: string) => () => {
  throw new Error(message);
};

interface Case {
  readonly why: string;
  readonly change?: (at: number) => Partial<Verification>;
  readonly answers?: Parameters<typeof busyCluster>[0];
  readonly lines: readonly string[];
  readonly isWarning?: boolean;
}

const at = (wanted: number, more: Partial<Verification>) => (node: number) =>
  node === wanted ? more : {};

const cases: readonly Case[] = [
  {
    why: "another protocol",
    change: at(2, { version: { protocol: 2, release: "3.0.2" } }),
    lines: [
      "ENODEVERSION:node:node3.example.com:incompatible protocol versions: master 3000000, node 2",
    ],
  },
  {
    why: "another release",
    change: at(2, { version: { protocol: 3000000, release: "3.1.0" } }),
    lines: [
      "ENODEVERSION:node:node3.example.com:software version mismatch: master 3.0.2, node 3.1.0",
    ],
    isWarning: true,
  },
  {
    why: "a hypervisor that does not work",
    change: at(2, { hypervisors: { kvm: "no module" } }),
    lines: ["ENODEHV:node:node3.example.com:hypervisor kvm verify failure: 'no module'"],
  },
  {
    why: "a clock that goes wrong",
    change: at(2, { wallMicros: 0 }),
    lines: ["ENODETIME:node:node3.example.com:Node time diverges by at least "],
  },
  {
    why: "nodes that are not reached",
    change: at(2, {
      unreachedBySsh: { "node1.example.com": "no key" },
      unreachedByTcp: { "node2.example.com": "no route" },
      masterReached: false,
    }),
    lines: [
      "ENODESSH:node:node3.example.com:ssh communication with node 'node1.example.com': no key",
      "ENODENET:node:node3.example.com:tcp communication with node 'node2.example.com': no route",
      "ENODENET:node:node3.example.com:cannot reach the master IP",
    ],
  },
  {
    why: "ssh keys that do not match and users with several",
    change: at(1, { sshSetup: ["no key of node1.", "no key of node3."], sshClutter: ["two keys"] }),
    lines: ["ENODESSH:node:None:no key of node1. no key of node3.", "ENODESSH:node:None:two keys"],
  },
  {
    why: "scripts and programs that are missing",
    change: at(2, {
      missingUserScripts: ["b", "a"],
      oobFaults: ["no /bin/oob"],
      missingBridges: ["br1"],
    }),
    lines: [
      "ENODEUSERSCRIPTS:node:node3.example.com:user scripts not present or not executable: a, b",
      "ENODEOOBPATH:node:node3.example.com:no /bin/oob",
      "ENODENET:node:node3.example.com:missing bridges: br1",
    ],
  },
  {
    why: "files of the system that are missing",
    change: at(1, { nodeSetup: ["no /proc", "no /sys"] }),
    lines: ["ENODESETUP:node:node2.example.com:node setup error: no /proc; no /sys"],
  },
  {
    why: "a file that is another one on a node of another group",
    change: (at) => ({ files: { "/var/lib/ganeti/server.pem": at === 3 ? "b" : "a" } }),
    lines: [
      "ECLUSTERFILECHECK:cluster:None:File /var/lib/ganeti/server.pem found with 2 different checksums (variant 1 on node1.example.com, node2.example.com, node3.example.com; variant 2 on node4.example.com)",
    ],
  },
  {
    why: "an optional file that some nodes lack",
    change: (at) => ({ files: at === 0 ? { "/var/lib/ganeti/rapi/users": "a" } : {} }),
    lines: [
      "ECLUSTERFILECHECK:cluster:None:File /var/lib/ganeti/rapi/users is optional, but it must exist on all or no nodes (not found on node2.example.com, node3.example.com, node4.example.com)",
    ],
  },
  {
    why: "a volume group that is too small",
    change: at(2, { volumeGroups: { xenvg: 100 } }),
    lines: [
      "ENODELVM:node:node3.example.com:volume group 'xenvg' too small (20480 MiB required, 100 MiB found)",
    ],
  },
  {
    why: "no volume group",
    change: at(2, { volumeGroups: { other: 100 } }),
    lines: [
      "ENODELVM:node:node3.example.com:volume group 'xenvg' missing",
      "ENODELVM:node:node3.example.com:node didn't return data for the volume group 'xenvg' - it is either missing or broken",
    ],
  },
  {
    why: "mirrors that are down, or nobody's",
    change: at(0, { drbdMinors: [5] }),
    lines: [
      "ENODEDRBD:node:node1.example.com:drbd minor 10 of disk 00000000-0000-4000-8000-000000000010 (attached in instance 'inst1.example.com') is not active",
      "ENODEDRBD:node:node1.example.com:unallocated drbd minor 5 is in use",
    ],
  },
  {
    why: "another helper of mirrors",
    change: at(0, { drbdHelper: { ok: true, text: "/bin/false" } }),
    lines: ["ENODEDRBDHELPER:node:node1.example.com:wrong drbd usermode helper: /bin/false"],
  },
  {
    why: "instances that nobody knows, or that belong elsewhere",
    change: at(1, { instances: ["stranger", "inst1.example.com"] }),
    lines: [
      "ENODEORPHANINSTANCE:node:node2.example.com:node is running unknown instance stranger",
      "EINSTANCEWRONGNODE:instance:inst1.example.com:instance should not run on node node2.example.com",
    ],
  },
  {
    why: "an instance that should run",
    change: at(0, { instances: [] }),
    lines: [
      "EINSTANCEDOWN:instance:inst1.example.com:instance not running on its primary node node1.example.com",
    ],
  },
  {
    why: "a volume that is missing",
    change: at(1, { logicalVolumes: [] }),
    lines: [
      "EINSTANCEMISSINGDISK:instance:inst1.example.com:volume xenvg/lv11 missing on node node2.example.com",
      "EINSTANCEMISSINGDISK:instance:inst1.example.com:volume xenvg/lv12 missing on node node2.example.com",
      "EINSTANCEMISSINGDISK:instance:inst2.example.com:volume xenvg/lv20 missing on node node2.example.com",
    ],
  },
  {
    why: "a volume that is nobody's",
    change: at(2, {
      logicalVolumes: [
        { name: "old", volumeGroup: "xenvg", sizeMib: 1, active: true, open: false },
        { name: "root", volumeGroup: "system", sizeMib: 1, active: true, open: false },
      ],
    }),
    lines: ["ENODEORPHANLV:node:node3.example.com:volume xenvg/old is unknown"],
    isWarning: true,
  },
  {
    why: "too little memory for failovers",
    change: at(1, {
      figures: {
        memoryTotalMib: 8192,
        memoryFreeMib: 100,
        memoryNodeMib: 512,
        cpuTotal: 16,
        cpuNode: 1,
        cpuNodes: 1,
        cpuSockets: 1,
      },
    }),
    lines: [
      "ENODEN1:node:node2.example.com:not enough memory to accomodate instance failovers should node node1.example.com fail (256MiB needed, 100MiB available)",
    ],
  },
  {
    why: "a certificate that is not the one that is known",
    change: at(0, { clientCertificate: { severity: null, text: "other" } }),
    lines: [
      "ECLUSTERCLIENTCERT:cluster:None:Client certificate digest of master candidate 'node1.example.com' ",
    ],
  },
  {
    why: "a system with a fault",
    change: () => ({
      osList: [{ ...noopOs, path: "/srv/os/noop", valid: false, fault: "no create script" }],
    }),
    lines: [
      "ENODEOS:node:node1.example.com:Invalid OS noop (located at /srv/os/noop): no create script",
    ],
  },
  {
    why: "disks that are degraded",
    answers: {
      blockdev_getmirrorstatus_multi: async (_, __, real: () => Promise<readonly DeviceAnswer[]>) =>
        (await real()).map((answer) =>
          answer.ok
            ? { ok: true, status: { ...answer.status, degraded: true, localDisk: "faulty" } }
            : answer,
        ),
    },
    lines: [
      "EINSTANCEFAULTYDISK:instance:inst1.example.com:disk/0 on node1.example.com is degraded; local disk state is 'faulty'",
    ],
  },
  {
    why: "a node that does not answer",
    answers: { node_verify: failing("no route") },
    lines: [
      "ENODEFILECHECK:node:node1.example.com:Node did not return file checksum data",
      "ENODERPC:node:node1.example.com:while contacting node: no route",
      "ENODERPC:node:node1.example.com:instance inst1.example.com, connection to primary node failed",
    ],
  },
];

test.each(cases)(
  "verification finds: $why",
  async ({ change, answers, lines, isWarning = false }) => {
    const { run } = await cluster(change, answers);
    const { result, log } = await run({ ...verify, error_codes: true });
    expect(result).toBe(isWarning);
    for (const line of lines) {
      const severity = isWarning ? "WARNING" : "ERROR";
      expect(findings(log)).toContainEqual(expect.stringContaining(`  - ${severity}:${line}`));
    }
  },
);

test("ignored errors are warnings, and simulated errors fail every check", async () => {
  const { run } = await cluster(at(0, { instances: [] }));
  const ignored = await run({ ...verify, ignore_errors: ["EINSTANCEDOWN"] });
  expect(ignored.result).toBe(true);
  expect(findings(ignored.log)).toContain(
    "  - WARNING: instance inst1.example.com: instance not running on its primary node node1.example.com",
  );
  const simulated = await run({ ...verify, debug_simulate_errors: true });
  expect(simulated.result).toBe(false);
  expect(findings(simulated.log).length).toBeGreaterThan(20);
});

test("verification of the configuration reports each inconsistency", async () => {
  const { run, config } = await cluster();
  const opcode = { OP_ID: "OP_CLUSTER_VERIFY_CONFIG" };
  expect(await run(opcode)).toEqual({
    status: "success",
    result: true,
    log: [
      "* Verifying cluster config",
      "* Verifying cluster certificate files",
      "* Verifying hypervisor parameters",
      "* Verifying all nodes belong to an existing group",
    ],
  });
  await config.change(({ cluster }) => ({
    changes: [{ kind: "cluster", object: { ...cluster, enabled_hypervisors: [] } }],
    value: null,
  }));
  const { result, log } = await run(opcode);
  expect(result).toBe(false);
  expect(findings(log)[0]).toMatch(/^ {2}- ERROR: cluster : /);
});

test("the verification of groups waits for that of the configuration", async () => {
  const { try: run, queue } = await cluster();
  const { result } = await run({ OP_ID: "OP_CLUSTER_VERIFY", skip_checks: ["nplusone_mem"] });
  const { jobs } = result as unknown as { jobs: [boolean, number][] };
  expect(jobs).toHaveLength(4);
  const rows = await queue.query(
    jobs.map(([, id]) => id as never),
    ["ops", "status"],
  );
  const opcodes = rows.map((row) => ((row?.[0] ?? []) as unknown as JsonObject[])[0]);
  const [first] = jobs;
  expect(opcodes[0]).toMatchObject({ OP_ID: "OP_CLUSTER_VERIFY_CONFIG" });
  // Groups are ordered by name, which appears in the summaries of the jobs.
  const groups = opcodes.slice(1).map((opcode) => opcode?.group_name);
  expect(groups).toEqual(["default", "group1", "group2"]);
  for (const opcode of opcodes.slice(1)) {
    expect(opcode).toMatchObject({
      OP_ID: "OP_CLUSTER_VERIFY_GROUP",
      skip_checks: ["nplusone_mem"],
      depends: [[first?.[1], []]],
    });
  }
});

test("disk verification of a group reports missing volumes and inactive disks", async () => {
  const lv = (name: string, active = true) => ({
    name,
    volumeGroup: "xenvg",
    sizeMib: 1,
    active,
    open: false,
  });
  let uuids: readonly string[] = [];
  const made = await cluster(undefined, {
    lv_list: (node) => (node === uuids[0] ? [lv("lv11"), lv("lv12", false)] : [lv("lv11")]),
    drbd_needs_activation: () => [],
  });
  uuids = made.nodes;
  const opcode = { OP_ID: "OP_GROUP_VERIFY_DISKS", group_name: "default" };
  expect((await made.try(opcode)).result).toEqual([
    {},
    ["inst1.example.com"],
    { "inst1.example.com": [["<node2.example.com>", "xenvg/lv12"]] },
  ]);
  const { result } = await made.try({ OP_ID: "OP_CLUSTER_VERIFY_DISKS" });
  expect((result as unknown as { jobs: unknown[] }).jobs).toHaveLength(3);
});

test("volumes of nodes that do not answer are missing", async () => {
  let uuids: readonly string[] = [];
  const made = await cluster(undefined, {
    lv_list: (node, _, real: () => Promise<unknown>) => {
      if (node === uuids[1]) throw new Error("no such daemon");
      return real();
    },
  });
  uuids = made.nodes;
  const opcode = { OP_ID: "OP_GROUP_VERIFY_DISKS", group_name: "default" };
  const { result } = await made.try(opcode);
  const [errors, , missing] = result as unknown as [JsonObject, Json, Record<string, Json[]>];
  expect(Object.values(errors)).toEqual(["no such daemon"]);
  const nodes = Object.values(missing).flatMap((volumes) =>
    volumes.map((one) => (one as readonly Json[])[0]),
  );
  expect(new Set(nodes)).toEqual(new Set(["<node2.example.com>"]));
});
