import { consistencyFaults } from "@ganeti-ts/config";
import { answered, type NodeBackend, type NodeInformation } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { create as wanted } from "../../../test/support/opcodes.js";
import { failed, refused } from "../../../test/support/results.js";
import { simulatedCluster } from "../../../test/support/simulated.js";

describe("instance creation", () => {
  test("a new instance gets its disk, its address and its operating system, and is started", async () => {
    const { run, instance, config, volumesOn, runningOn } = await simulatedCluster();
    expect(await run(wanted())).toEqual({
      status: "success",
      result: ["node1.example.com"],
      log: [
        "* disk 0, size 1.0G",
        "* creating instance disks...",
        "adding instance web1.example.com to cluster config",
        "adding disks to cluster config",
        " - INFO: Waiting for instance web1.example.com to sync disks",
        " - INFO: Instance web1.example.com's disks are in sync",
        " - INFO: Waiting for instance web1.example.com to sync disks",
        " - INFO: Instance web1.example.com's disks are in sync",
        "* running the instance OS create scripts...",
        "* starting instance...",
      ],
    });
    expect(instance("web1")).toMatchObject({
      admin_state: "up",
      disks_active: true,
      os: "noop+default",
      hypervisor: "kvm",
      beparams: { maxmem: 512, minmem: 512 },
      nics: [{ mac: expect.stringMatching(/^aa:00:00(:[0-9a-f]{2}){3}$/) }],
      network_port: 11000,
    });
    expect(runningOn(1)).toEqual(["web1.example.com"]);
    expect(volumesOn(1)).toHaveLength(1);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("a new mirrored instance is on the two nodes that the allocator chose", async () => {
    const { run, config, volumesOn } = await simulatedCluster();
    const { pnode: _, ...placeless } = wanted({ disk_template: "drbd", wait_for_sync: false });
    const { status, result, log } = await run(placeless);
    expect({ status, result }).toEqual({
      status: "success",
      result: ["node2.example.com", "node1.example.com"],
    });
    expect(log[0]).toBe(
      " - INFO: Selected nodes for the instance: node2.example.com, node1.example.com",
    );
    expect(log).toContain("* pausing disk sync to install instance OS");
    expect([volumesOn(1).length, volumesOn(2).length]).toEqual([2, 2]);
    expect(consistencyFaults(config.snapshot)).toEqual([]);
  });

  test("a creation whose disks cannot be made leaves nothing behind", async () => {
    const { run, config, simulated, volumesOn, nodes } = await simulatedCluster();
    const node = nodes[1] ?? "";
    simulated.fail({ kind: "refused", call: "blockdev_create", node, times: 1, after: 2 });
    const { cluster } = config.snapshot;
    const made = await run(wanted({ disk_template: "drbd", snode: "node2.example.com" }));
    expect(made.status).toBe("error");
    expect(made.result).toEqual([
      "OpExecError",
      [
        expect.stringMatching(
          /^Can't create block device <DRBD8\(.*> on node node2.example.com for instance web1.example.com: blockdev_create: refused$/,
        ),
      ],
    ]);
    expect(made.log.at(-1)).toBe(" - WARNING: Device creation failed");
    expect([volumesOn(1), volumesOn(2)]).toEqual([[], []]);
    expect([...config.snapshot.instances()]).toEqual([]);
    expect([...config.snapshot.disks()]).toEqual([]);
    // Ports are returned to the pool.
    expect(config.snapshot.cluster.tcpudp_port_pool).toHaveLength(2);
    expect(cluster.tcpudp_port_pool).toEqual([]);
    expect((await run(wanted())).status).toBe("success");
  });

  test("an adopted volume keeps its data and is renamed", async () => {
    const { run, config, simulated, nodes, volumesOn } = await simulatedCluster();
    const [node = ""] = nodes;
    const caller = { lease: "9:1", signal: new AbortController().signal };
    const found = {
      uuid: "found",
      dev_type: "plain" as const,
      logical_id: ["xenvg", "data"],
      size: 2048,
    };
    await simulated.call(
      node,
      "blockdev_create",
      { disk: found, sizeMib: 2048, owner: "", onPrimary: true, info: "", exclusiveStorage: false },
      caller,
    );
    const adopting = wanted({ disks: [{ adopt: "data" }], start: false });
    expect((await run({ ...adopting, disks: [{ adopt: "nosuch" }] })).result).toEqual(
      refused("Missing logical volume(s): xenvg/nosuch", "wrong_input"),
    );
    await simulated.call(node, "blockdev_shutdown", { disk: found }, caller);
    expect((await run(adopting)).status).toBe("success");
    const [disk] = config.snapshot.disksOf(config.snapshot.expectInstance("web1"));
    expect(disk).toMatchObject({ dev_type: "plain", size: 2048, params: {} });
    expect(volumesOn(1)).toEqual([disk?.logical_id?.[1]]);
  });

  test("lines logged before a refusal appear in the job's log", async () => {
    const { run } = await simulatedCluster();
    expect(await run(wanted({ snode: "node2", opportunistic_locking: true }))).toEqual({
      status: "error",
      result: refused(
        "Opportunistic locking is only available in combination with an instance allocator",
        "wrong_input",
      ),
      log: [" - WARNING: Secondary node will be ignored on non-mirrored disk template"],
    });
  });

  test("sizes are rounded up to multiples of 4 MiB", async () => {
    const { run, instance, config } = await simulatedCluster();
    await run(wanted({ disks: [{ size: 1021 }], beparams: { memory: 510 } }));
    const made = instance("web1.example.com");
    expect(made.beparams).toEqual({ maxmem: 512, minmem: 512 });
    expect(config.snapshot.disksOf(made)).toMatchObject([{ size: 1024 }]);
  });

  describe("on nodes that others have filled since the allocator's figures", () => {
    /** Four nodes, of which those in `full` report no free space. */
    async function cluster() {
      const full = new Set<string>();
      let queries = 0;
      const between = (nodes: NodeBackend): NodeBackend => ({
        introduce: (node) => nodes.introduce(node),
        async call(node, name, args, caller) {
          const answer = await nodes.call(node, name, args, caller);
          if (name !== "node_info" || !answer.ok) return answer;
          queries++;
          if (!full.has(node)) return answer;
          const { storage, ...rest } = answer.value as NodeInformation;
          return answered({
            ...rest,
            storage: storage?.map((one) => ({ ...one, free: 0 })),
          }) as typeof answer;
        },
      });
      const made = await simulatedCluster({ nodeCount: 4, figuresAgeMs: 3_600_000, between });
      const { pnode: _, ...placeless } = wanted();
      expect(await made.run(placeless)).toMatchObject({ status: "success" });
      const create = (name: string) => made.run({ ...placeless, instance_name: name });
      return { ...made, full, create, queries: () => queries };
    }

    test("the placement is repeated with fresh figures until it is on a node with room", async () => {
      const { nodes, full, create, instance } = await cluster();
      // A second node with room, because hail leaves place for the instances of a node that fails.
      const first = instance("web1").primary_node;
      const [second, ...others] = nodes.filter((node) => node !== first);
      for (const node of others) full.add(node);
      expect(await create("web2.example.com")).toMatchObject({ status: "success" });
      expect([first, second]).toContain(instance("web2").primary_node);
    });

    test("without room anywhere it ends with a refusal after each node was queried once or twice", async () => {
      const { nodes, full, create, queries } = await cluster();
      for (const node of nodes) full.add(node);
      const before = queries();
      expect(await create("web2.example.com")).toMatchObject({
        status: "error",
        result: [
          "OpPrereqError",
          [expect.stringContaining("Can't compute nodes"), expect.anything()],
        ],
      });
      expect(queries() - before).toBeLessThanOrEqual(2 * nodes.length);
    });
  });

  test("a dry run only checks, and names the nodes by UUID", async () => {
    const { run, config, nodes, volumesOn } = await simulatedCluster();
    expect(await run(wanted({ dry_run: true }))).toEqual({
      status: "success",
      result: [nodes[0]],
      log: [" - INFO: dry-run mode requested, not actually executing the operation"],
    });
    expect([[...config.snapshot.instances()], volumesOn(1)]).toEqual([[], []]);
  });

  test.each([
    {
      why: "a name that is taken",
      more: {},
      first: wanted({ start: false }),
      says: refused("Instance 'web1.example.com' is already in the cluster", "already_exists"),
    },
    {
      why: "too little memory",
      more: { beparams: { maxmem: 32000, minmem: 128 } },
      says: refused(
        "Not enough memory on node node1.example.com for creating instance web1.example.com:" +
          " needed 32000 MiB, available 31744 MiB",
        "insufficient_resources",
      ),
    },
    {
      why: "too little disk",
      more: { disks: [{ size: "600g" }] },
      says: refused(
        "Not enough disk space on target node node1.example.com vg xenvg: required 614400 MiB," +
          " available 512000 MiB",
        "insufficient_resources",
      ),
    },
    {
      why: "an operating system that there is not",
      more: { os_type: "nosuch" },
      says: failed(expect.stringContaining("OS Parameters validation failed on node node1")),
    },
    {
      why: "a name that no host has",
      more: { instance_name: "Bad_Name!" },
      says: refused("Invalid hostname 'bad_name!'", "wrong_input"),
    },
    {
      why: "no operating system",
      more: { os_type: undefined },
      says: refused("No guest OS or OS image specified", "wrong_input"),
    },
    {
      why: "a mirror without a second node",
      more: { disk_template: "drbd" },
      says: refused("The networked disk templates need a mirror node", "wrong_input"),
    },
    {
      why: "a mirror on one node",
      more: { disk_template: "drbd", snode: "node1" },
      says: refused("The secondary node cannot be the primary node", "wrong_input"),
    },
    {
      why: "both, nodes and an allocator",
      more: { iallocator: "hail" },
      says: refused("Do not specify both, iallocator and node", "wrong_input"),
    },
    {
      why: "an unknown node",
      more: { pnode: "nosuch.example.com" },
      says: refused("Node 'nosuch.example.com' not known", "unknown_entity"),
    },
    {
      why: "what the group's policy does not accept",
      more: { beparams: { memory: 64 } },
      says: refused(
        expect.stringContaining(
          "(default) violates policy: memory-size value 64 is not in range [128, 32768]",
        ),
        "wrong_input",
      ),
    },
    {
      why: "an unknown parameter",
      more: { hvparams: { nosuch: 1 } },
      says: ["TypeEnforcementError", ["Unknown parameter 'nosuch'"]],
    },
    {
      why: "a parameter that only the cluster has",
      more: { hvparams: { migration_port: 1 } },
      says: refused(
        "The following hypervisor parameters are global and cannot be customized at instance" +
          " level, please modify them at cluster level: migration_port",
        "wrong_input",
      ),
    },
    {
      why: "a value of it that cannot be, before it is told where that belongs",
      more: { hvparams: { migration_port: 0 } },
      says: [
        "HypervisorError",
        ["Parameter 'migration_port' fails syntax check: invalid port number (current value: '0')"],
      ],
    },
    {
      why: "a value of it that is no default here",
      more: { hvparams: { migration_mode: "default" } },
      says: [
        "HypervisorError",
        [
          "Parameter 'migration_mode' fails syntax check: invalid migration mode (current value: 'default')",
        ],
      ],
    },
    {
      why: "what no disk has",
      more: { disks: [{ size: 1024, nosuch: 1 }] },
      says: ["TypeEnforcementError", ["Unknown parameter 'nosuch'"]],
    },
    {
      why: "a disk template that the cluster does not have, without a code",
      more: { disk_template: "file" },
      says: [
        "OpPrereqError",
        ["Disk template 'file' is not enabled in cluster. Enabled disk templates are: drbd,plain"],
      ],
    },
    {
      why: "a NIC of a mode that there is not",
      more: { nics: [{ mode: "ovs" }] },
      says: ["ConfigurationError", ["Invalid NIC mode 'ovs'"]],
    },
    {
      why: "a VLAN that is none",
      more: { nics: [{ vlan: "bad" }], pnode: "nosuch.example.com" },
      says: refused("Specified VLAN parameter is invalid : bad", "wrong_input"),
    },
    {
      why: "a bridge that there is not",
      more: { nics: [{ mode: "bridged", link: "br9" }] },
      says: refused(
        expect.stringMatching(/^Error checking bridges on destination node 'node1.example.com': /),
        "environment_error",
      ),
    },
  ])("is refused for $why", async ({ more, first, says }) => {
    const { run, config, volumesOn } = await simulatedCluster();
    if (first !== undefined) expect((await run(first)).status).toBe("success");
    const before = [config.snapshot.serial, volumesOn(1)];
    const { status, result } = await run(JSON.parse(JSON.stringify({ ...wanted(), ...more })));
    expect(result).toEqual(says);
    expect(status).toBe("error");
    expect([config.snapshot.serial, volumesOn(1)]).toEqual(before);
  });

  test("removing an instance removes all its resources", async () => {
    const { run, config, volumesOn, runningOn } = await simulatedCluster();
    await run(wanted());
    const remove = { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "web1.example.com" };
    expect(await run({ ...remove, dry_run: true })).toMatchObject({ status: "success" });
    expect(volumesOn(1)).toHaveLength(1);
    expect(await run(remove)).toEqual({ status: "success", result: null, log: [] });
    expect([[...config.snapshot.instances()], [...config.snapshot.disks()]]).toEqual([[], []]);
    expect([volumesOn(1), runningOn(1)]).toEqual([[], []]);
    expect(config.snapshot.cluster.tcpudp_port_pool).toEqual([11000]);
    expect((await run(remove)).result).toEqual(
      refused("Instance 'web1.example.com' not known", "unknown_entity"),
    );
  });
});
