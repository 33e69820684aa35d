// Everyday opcodes and their effects on simulated nodes.
import { diskOnNode } from "@ganeti-ts/config";
import type { JsonObject, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { noDurations } from "@ganeti-ts/simulated-nodes";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { failed, refused } from "../support/results.js";
import { type SimulatedOptions, simulatedCluster } from "../support/simulated.js";

const name = "web1.example.com";
const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: name,
  ...more,
});

/** A cluster with web1 on node1, by default mirrored on node2. */
async function stage(more: JsonObject = {}, options: SimulatedOptions = {}) {
  const cluster = await simulatedCluster(options);
  const done = async (op: JsonObject) => {
    const { status, result, log } = await cluster.run(op);
    expect(status, JSON.stringify(result)).toBe("success");
    return { result, log };
  };
  await done({
    ...about("OP_INSTANCE_CREATE", { mode: "create", os_type: "noop+default" }),
    disk_template: "drbd",
    pnode: "node1",
    snode: "node2",
    nics: [{}],
    disks: [{ size: 1024 }],
    beparams: { memory: 512 },
    hypervisor: "kvm",
    ...more,
  });
  const host = (at: number) => {
    const state = cluster.simulated.stateOf(cluster.nodes[at - 1] ?? "");
    if (state === undefined) throw new Error(`there is no node ${at}`);
    return state;
  };
  const mirrors = () =>
    [1, 2].map((at) => Object.values(host(at).drbd).map(({ up, primary }) => ({ up, primary })));
  const refusal = async (op: JsonObject) => (await cluster.run(op)).result;
  return { ...cluster, done, host, mirrors, refusal };
}

describe("instance shutdown", () => {
  test("a shutdown stops the instance and deactivates its disks on both nodes", async () => {
    const { done, runningOn, mirrors, instance } = await stage();
    expect(mirrors()).toEqual([[{ up: true, primary: true }], [{ up: true, primary: false }]]);
    await done(about("OP_INSTANCE_SHUTDOWN"));
    expect(runningOn(1)).toEqual([]);
    expect(mirrors()).toEqual([[{ up: false, primary: false }], [{ up: false, primary: false }]]);
    expect(instance(name)).toMatchObject({ admin_state: "down", disks_active: false });
  });

  test("a shutdown with no_remember keeps admin_state up", async () => {
    const { done, runningOn, instance } = await stage();
    await done(about("OP_INSTANCE_SHUTDOWN", { no_remember: true }));
    expect(runningOn(1)).toEqual([]);
    expect(instance(name).admin_state).toBe("up");
  });

  test("a shutdown on an offline node is recorded if offline nodes are ignored", async () => {
    const { refusal, done, put, config, instance } = await stage();
    const node = config.snapshot.expectNode("node2");
    const master = config.snapshot.expectNode("node1");
    await put({ kind: "put", type: "node", object: { ...master, offline: true } });
    expect(await refusal(about("OP_INSTANCE_SHUTDOWN"))).toMatchObject(
      refused(expect.stringContaining("node1.example.com"), "wrong_state"),
    );
    const { log } = await done(about("OP_INSTANCE_SHUTDOWN", { ignore_offline_nodes: true }));
    expect(log).toContain(" - WARNING: Ignoring offline primary node");
    expect(instance(name).admin_state).toBe("down");
    expect(node.offline).toBe(false);
  });
});

describe("instance reboot", () => {
  test.each(["soft", "hard"])("that is %s is the hypervisor's alone", async (reboot_type) => {
    const { done, runningOn, host } = await stage();
    await done(about("OP_INSTANCE_REBOOT", { reboot_type }));
    expect(runningOn(1)).toEqual([name]);
    expect(Object.values(host(1).drbd)).toMatchObject([{ up: true, primary: true }]);
  });

  test("a full reboot deactivates and activates the disks, with changes made since", async () => {
    const { done, host } = await stage();
    await done(about("OP_INSTANCE_SET_PARAMS", { beparams: { memory: 768 } }));
    expect(host(1).instances[name]?.memoryMib).toBe(512);
    await done(about("OP_INSTANCE_REBOOT", { reboot_type: "full" }));
    expect(host(1).instances[name]?.memoryMib).toBe(768);
  });

  test("a reboot of an instance that stopped by itself starts it", async () => {
    const { done, simulated, nodes, runningOn } = await stage();
    await simulated.stopInstance(nodes[0] ?? "", name, "crash");
    await done(about("OP_INSTANCE_REBOOT", { reboot_type: "hard" }));
    expect(runningOn(1)).toEqual([name]);
  });
});

describe("instance console", () => {
  test("only a running instance has a console", async () => {
    const { done, refusal } = await stage();
    const { result } = await done(about("OP_INSTANCE_CONSOLE"));
    expect(result).toMatchObject({ instance: name, host: "node1.example.com" });
    await done(about("OP_INSTANCE_SHUTDOWN"));
    expect(await refusal(about("OP_INSTANCE_CONSOLE"))).toEqual(
      failed(`Instance ${name} is not running (state ADMIN_down)`),
    );
  });
});

describe("disks of an instance", () => {
  test("disks are activated and deactivated without the instance", async () => {
    const { done, mirrors, refusal, instance } = await stage();
    expect(await refusal(about("OP_INSTANCE_DEACTIVATE_DISKS"))).toMatchObject(
      refused(expect.stringContaining("cannot shutdown disks"), "wrong_state"),
    );
    await done(about("OP_INSTANCE_SHUTDOWN"));
    const { result } = await done(about("OP_INSTANCE_ACTIVATE_DISKS"));
    expect(result).toEqual([["node1.example.com", "disk/0", "/dev/drbd0"]]);
    expect(mirrors()).toEqual([[{ up: true, primary: true }], [{ up: true, primary: false }]]);
    expect(instance(name).disks_active).toBe(true);
    await done(about("OP_INSTANCE_DEACTIVATE_DISKS"));
    expect(mirrors()).toEqual([[{ up: false, primary: false }], [{ up: false, primary: false }]]);
  });

  test("mirrors that diverged are synchronised again after their activation", async () => {
    const clock = new VirtualClock();
    const durations = { ...noDurations, syncSpeed: 10 };
    const {
      run: _,
      queue,
      simulated,
      nodes,
      config,
      host,
    } = await (async () => {
      const staged = stage({ wait_for_sync: false }, { clock, durations });
      let isThere = false;
      staged.finally(() => {
        isThere = true;
      });
      for (let second = 0; second < 300 && !isThere; second++) await clock.pass(1000);
      return staged;
    })();
    const passing = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) await clock.pass(1000);
    };
    const job = async (op: JsonObject) => {
      const id = await queue.submit([op]);
      await passing(5);
      const [row] = await queue.query([id], ["status"]);
      return row?.[0];
    };
    const [disk] = config.snapshot.disksOf(config.snapshot.expectInstance(name));
    const caller = { lease: "1:1", signal: new AbortController().signal };
    const looked = async () => {
      const args = { disks: [disk as never] };
      const answer = await simulated.call(nodes[0] ?? "", "blockdev_getmirrorstatus", args, caller);
      return answer.ok ? answer.value[0] : undefined;
    };
    const side = () => Object.values(host(2).drbd)[0]?.data;
    await passing(200);
    expect(await looked()).toMatchObject({ degraded: false, syncPercent: null });
    await simulated.powerOff(nodes[1] ?? "");
    await passing(100);
    expect(await looked()).toMatchObject({ degraded: true, syncPercent: null });
    await simulated.powerOn(nodes[1] ?? "");
    expect(await job(about("OP_INSTANCE_ACTIVATE_DISKS"))).toBe("success");
    expect((await looked())?.syncPercent).toBeGreaterThan(85);
    expect(side()).toBe("inconsistent");
    await passing(30);
    expect(await looked()).toMatchObject({ degraded: false, syncPercent: null });
    expect(side()).toBe("uptodate");
  });

  test.each([
    ["primary", 0],
    ["secondary, the primary of that time", 1],
  ])(
    "an activation resumes a synchronisation that a dead job has paused on the %s",
    async (_, at) => {
      const { done, simulated, nodes, config, instance } = await stage();
      const node = nodes[at] ?? "";
      const sides = () => Object.values(simulated.stateOf(node)?.drbd ?? {});
      const [web, now] = [instance(name) as RealInstance, config.snapshot];
      const onNode = now.disksOf(web).map((disk) => diskOnNode(now, web, disk as RealDisk));
      const caller = { lease: "", signal: new AbortController().signal };
      const paused = { disks: onNode, pause: true };
      await simulated.call(node, "blockdev_pause_resume_sync", paused, caller);
      expect(sides()).toMatchObject([{ paused: true }]);
      await done(about("OP_INSTANCE_ACTIVATE_DISKS"));
      expect(sides()).toMatchObject([{ paused: false }]);
    },
  );

  test("disks are detached and attached again, also to another instance", async () => {
    const { done, config, volumesOn, instance } = await stage({ disk_template: "plain" });
    await done(
      about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024, name: "extra" }]] }),
    );
    const [, disk] = config.snapshot.disksOf(instance(name));
    await done(about("OP_INSTANCE_SET_PARAMS", { disks: [["detach", "extra", {}]] }));
    expect(instance(name).disks).toHaveLength(1);
    expect(volumesOn(1)).toHaveLength(2);
    const attach = { disks: [["attach", -1, { uuid: disk?.uuid ?? "" }]] };
    const { result } = await done(about("OP_INSTANCE_SET_PARAMS", attach));
    expect(result).toContainEqual(["disk/1", "attach:size=1024,mode=rw"]);
    expect(instance(name).disks[1]).toBe(disk?.uuid);
    expect(config.snapshot.disk(disk?.uuid as never)).toMatchObject({ iv_name: "disk/1" });
  });

  test("a detached disk file leaves the folder of its instance and returns when attached", async () => {
    const { done, config, host, instance } = await stage(
      { disk_template: "file" },
      { initial: { diskTemplates: ["file"] } },
    );
    await done(
      about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024, name: "extra" }]] }),
    );
    const [, disk] = config.snapshot.disksOf(instance(name));
    const [folder] = host(1).fileSystem.directories;
    expect(folder).toMatch(/\/web1\.example\.com$/);
    await done(about("OP_INSTANCE_SET_PARAMS", { disks: [["detach", "extra", {}]] }));
    const free = String(config.snapshot.disk(disk?.uuid as never)?.logical_id?.[1]);
    expect(free.startsWith(`${folder}/`)).toBe(false);
    expect(host(1).fileSystem.disks).toHaveProperty([free]);
    const attach = { disks: [["attach", -1, { uuid: disk?.uuid ?? "" }]] };
    await done(about("OP_INSTANCE_SET_PARAMS", attach));
    const own = String(config.snapshot.disk(disk?.uuid as never)?.logical_id?.[1]);
    expect(own.startsWith(`${folder}/`)).toBe(true);
    expect(Object.keys(host(1).fileSystem.disks)).toHaveLength(2);
  });

  test("disks and NICs are hotplugged while the instance runs", async () => {
    const { done, simulated, nodes, instance } = await stage({ disk_template: "plain" });
    const network = { network_name: "net1", network: "198.51.100.0/24" };
    await done({ OP_ID: "OP_NETWORK_ADD", ...network });
    const link = { network_mode: "bridged", network_link: "xen-br0" };
    const connection = { network_name: "net1", group_name: "default", ...link };
    await done({ OP_ID: "OP_NETWORK_CONNECT", ...connection });
    const changed = async (changes: JsonObject) =>
      (await done(about("OP_INSTANCE_SET_PARAMS", changes))).result;
    const changes = {
      disks: [["add", -1, { size: 1024, name: "data" }]],
      nics: [["add", -1, { network: "net1", ip: "pool" }]],
    };
    expect(await changed(changes)).toEqual(
      expect.arrayContaining([
        ["disk/1", "hotplug:done"],
        ["nic.1", "hotplug:done"],
      ]),
    );
    expect(instance(name).nics).toHaveLength(2);
    const plugged = [["disk/1", "hotplug:done"]];
    expect(await changed({ disks: [["detach", 1, {}]] })).toEqual(expect.arrayContaining(plugged));
    const attached = await changed({ disks: [["attach", -1, { name: "data" }]] });
    expect(attached).toEqual(expect.arrayContaining(plugged));
    simulated.fail({
      kind: "refused",
      call: "hotplug_device",
      message: "busy",
      node: nodes[0] ?? "",
    });
    const removed = await done(about("OP_INSTANCE_SET_PARAMS", { disks: [["remove", 1, {}]] }));
    expect(JSON.stringify(removed.result)).toContain("hotplug:failed");
    expect(instance(name).disks).toHaveLength(1);
  });
});
