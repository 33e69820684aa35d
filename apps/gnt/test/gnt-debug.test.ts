import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { program } from "../src/programs/gnt-debug.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { type Circumstances, runLine } from "./run-line.js";

const gntDebug = (line: string, circumstances?: Circumstances) =>
  runLine(program, line, circumstances);

test("gnt-debug delay sends the values of its options", async () => {
  const cluster = fakeCluster();
  await gntDebug("delay --no-master -n a -n b -r 2 -l -i 1.5", { cluster });
  expect(cluster.submitted[0]?.[0]).toMatchObject({
    OP_ID: "OP_TEST_DELAY",
    duration: 1.5,
    on_master: false,
    on_nodes: ["a", "b"],
    repeat: 2,
    no_locks: true,
    interruptible: true,
  });
  expect((await gntDebug("delay abc")).stderr).toContain(
    "could not convert string to float: 'abc'",
  );
});

test("gnt-debug claims lists resources that jobs hold on nodes, and leftovers of ended jobs", async () => {
  const claims = [
    {
      ...{ uuid: "a", kind: "creation", job: 7, job_status: "running", since: null },
      ...{ nodes: ["node1", "node2"], instance: "web", devices: 2 },
    },
    {
      ...{ uuid: "b", kind: "space", job: 12, job_status: null, since: null },
      ...{ nodes: ["node3"], instance: null, devices: 0 },
    },
  ];
  const cluster = fakeCluster({ claims: async () => claims });
  expect((await gntDebug("claims --separator=:", { cluster })).stdout.split("\n")).toEqual([
    "Job:Status:Kind:Since:Nodes:Instance:Devices",
    "7:running:creation:-:node1,node2:web:2",
    "12:unknown:space:-:node3:-:0",
    "",
  ]);
  expect(JSON.parse((await gntDebug("claims --json", { cluster })).stdout)).toEqual(claims);
});

describe("submit-job", () => {
  const folder = mkdtempSync(join(tmpdir(), "gnt-debug-"));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test("submit-job repeats opcodes within jobs, and jobs", async () => {
    const cluster = fakeCluster({ query: async () => tableOf([], []) });
    const path = file("ops", '[{"OP_ID":"OP_TEST_DELAY","duration":1}]');
    const line = `submit-job --op-repeat 2 --job-repeat 3 --each --timing-stats -v ${path}`;
    const { code, stdout } = await gntDebug(line, { cluster });
    expect(cluster.submitted.map((opcodes) => opcodes.length)).toEqual([2, 2, 2]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Loading...\nSubmitting...\nExecuting...\nSubmitted jobs 1, 2, 3\n/);
    expect(stdout).toMatch(/C:op {8}6\nC:job {7}3\nT:submit \d\.\d{4}\nT:exec {3}\d\.\d{4}\n/);
  });

  test.each([
    ["[bad", "is no JSON"],
    ['{"OP_ID":"x"}', "contains no list of opcodes"],
    ['[{"duration":1}]', "contains no list of opcodes"],
  ])("refuses a file with %s", async (content, says) => {
    const { code, stderr } = await gntDebug(`submit-job ${file("wrong", content)}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  });

  test("submit-job refuses a missing file", async () => {
    const { stderr } = await gntDebug(`submit-job ${join(folder, "nosuch")}`);
    expect(stderr).toContain("cannot be read");
    rmSync(folder, { recursive: true });
  });
});

describe("iallocator", () => {
  test("an allocation request has defaults, and its answer is printed", async () => {
    const cluster = fakeCluster({ jobOf: () => ({ results: ["answer"] }) });
    expect((await gntDebug("allocator web1", { cluster })).stdout).toBe("answer\n");
    const disk = { size: 4096, mode: "rw" };
    expect(cluster.submitted[0]?.[0]).toMatchObject({
      mode: "relocate",
      direction: "in",
      name: "web1",
      instances: ["web1"],
      memory: 128,
      disks: [disk, disk],
      nics: [{ mac: "00:11:22:33:44:55", ip: null, bridge: null }],
      vcpus: 1,
      tags: [],
      evac_mode: "all",
      target_groups: [],
      spindle_use: 1,
      count: 2,
    });
    expect(cluster.submitted[0]?.[0]).not.toHaveProperty("disk_template");
  });

  test("balance and capacity requests need no instance, and take one group or all", async () => {
    const cluster = fakeCluster();
    await gntDebug("iallocator -m balance --target-groups default", { cluster });
    await gntDebug("iallocator -m capacity -t drbd --disks 1g", { cluster });
    const [[balance] = [], [capacity] = []] = cluster.submitted;
    expect(balance).toMatchObject({ mode: "balance", name: "balance", group_name: "default" });
    expect(capacity).toMatchObject({ mode: "capacity", disk_template: "drbd", count: 0 });
    expect(capacity).not.toHaveProperty("group_name");
    const two = await gntDebug("iallocator -m balance --target-groups a --target-groups b");
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining("take one group, or all")]);
    const none = await gntDebug("iallocator -m allocate");
    expect([none.code, none.stderr]).toEqual([
      1,
      "Error: Command iallocator expects at least 1 argument(s)\n",
    ]);
  });

  test("disks and NICs are parsed from options", async () => {
    const cluster = fakeCluster();
    await gntDebug("iallocator --disks 1g,10 --nics /10.0.0.1/br0,auto --tags a,b web1", {
      cluster,
    });
    expect(cluster.submitted[0]?.[0]).toMatchObject({
      disks: [{ size: 1024 }, { size: 12 }],
      nics: [
        { mac: null, ip: "10.0.0.1", bridge: "br0" },
        { mac: "auto", ip: null, bridge: null },
      ],
      tags: ["a", "b"],
    });
    expect((await gntDebug("iallocator --disks x web1")).stderr).toBe(
      "Invalid disks parameter 'x': Invalid format\n",
    );
  });
});

describe("simulate", () => {
  const machine = {
    name: "node2.example.com",
    powered: false,
    slowness: 10,
    instances: [],
    volume_groups: { xenvg: { size_mib: 512_000, free_mib: 2048 } },
    missing_devices: ["/dev/sda3"],
  };
  const simulating = () => {
    const calls: unknown[] = [];
    const call = async (...asked: unknown[]) => {
      calls.push(asked);
      return machine;
    };
    return { calls, cluster: fakeCluster({ call }) };
  };
  const at = "/ganeti-ts/1/simulation/node2";

  test.each([
    ["", "GET", undefined],
    ["show", "GET", undefined],
    ["kill", "PUT", { action: "kill" }],
    ["slow", "PUT", { action: "slow" }],
    ["slow 2.5", "PUT", { action: "slow", times: 2.5 }],
    ["fill-disk 2g", "PUT", { action: "fill-disk", free_mib: 2048 }],
    ["fill-disk 0", "PUT", { action: "fill-disk", free_mib: 0 }],
    ["break-disk /dev/sda3", "PUT", { action: "break-disk", device: "/dev/sda3" }],
    ["crash web1", "PUT", { action: "crash", instance: "web1" }],
  ])("node2 %s asks the server, and shows how the node is", async (words, method, body) => {
    const { calls, cluster } = simulating();
    const { code, stdout } = await gntDebug(`simulate node2 ${words}`, { cluster });
    expect(calls).toEqual([body === undefined ? [method, at] : [method, at, { body }]]);
    expect([code, stdout]).toEqual([
      0,
      "node2.example.com is switched off, 10 times as slow as usual\n" +
        "  xenvg: 2.0G of 500.0G free\n  missing: /dev/sda3\n  instances: none\n",
    ]);
  });

  test.each([
    ["explode", "A simulated node knows no 'explode': choose from show, kill, revive, slow,"],
    ["kill hard", "kill takes no value"],
    ["crash", "crash needs the name of an instance"],
    ["slow much", "'much' is not a number"],
    ["fill-disk x", "'x' is not a size"],
  ])("node2 %s is refused before anything is asked", async (words, says) => {
    const { calls, cluster } = simulating();
    const { code, stderr } = await gntDebug(`simulate node2 ${words}`, { cluster });
    expect([code, calls, stderr]).toEqual([1, [], expect.stringContaining(says)]);
  });

  test.each([
    [400, "node2 is running", "node2 is running\n"],
    [404, "Node 'node2' not known", "Node 'node2' not known\n"],
    [404, "Nothing matches the given URI", "This server does not simulate its nodes.\n"],
  ])("what the server refuses with %i is said plainly", async (status, message, says) => {
    const refuse = async () => {
      throw new Error(message, { cause: { status } });
    };
    const cluster = fakeCluster({ call: refuse });
    const { code, stderr } = await gntDebug("simulate node2 revive", { cluster });
    expect([code, stderr]).toEqual([1, says]);
  });
});

describe("locks", () => {
  const cluster = fakeCluster({
    info: async () => ({}),
    query: async (_, fields) => {
      const waiting = [
        ["shared", ["11", "12"]],
        ["exclusive", ["13"]],
      ];
      const rows = [
        ["node/n1", "exclusive", ["9", "10"], waiting],
        ["node/n2", null, null, []],
      ];
      return tableOf(
        fields,
        rows.map((row) => row.slice(0, fields.length)),
      );
    },
  });

  test("locks are listed with their owners and waiting jobs", async () => {
    expect((await gntDebug("locks --separator=';' --no-headers", { cluster })).stdout).toBe(
      "node/n1;exclusive;9,10;shared:11,12, exclusive:13\nnode/n2;-;-;-\n",
    );
  });

  test("locks are listed repeatedly until Ctrl-C", async () => {
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(), 20);
    const { code, stdout } = await gntDebug("locks --interval 60 --no-headers -o name", {
      cluster,
      signal: interruption.signal,
    });
    expect([code, stdout]).toEqual([0, "node/n1\nnode/n2\n\n"]);
  });

  test.each([
    ["wconfd echo hello", "Answer: hello\n"],
    ["wconfd listalllocks", "Answer: ['node/n1']\n"],
    ["wconfd listalllocksowners", "Answer: [['node/n1', 'exclusive', ['9', '10']]]\n"],
    ["wconfd listlocks 9", "Answer: [['node/n1', 'exclusive']]\n"],
    ["wconfd listlocks 8", "Answer: []\n"],
    ["metad echo hello", "Answer: hello\n"],
  ])("%s says %j", async (line, says) => {
    expect(await gntDebug(line, { cluster })).toEqual({ code: 0, stdout: says, stderr: "" });
  });

  test.each([
    ["wconfd echo", "Command 'echo' takes only precisely argument."],
    ["wconfd listlocks", "Command 'listlocks' takes precisely one argument."],
    ["wconfd listalllocks x", "Command 'listalllocks' takes no arguments."],
    ["wconfd nosuch", "Command 'nosuch' not supported"],
    ["metad nosuch", "Command 'nosuch' not supported"],
  ])("%s is refused: %s", async (line, says) => {
    expect(await gntDebug(line, { cluster })).toEqual({ code: 1, stdout: "", stderr: `${says}\n` });
  });
});

test("test-osparams sends parameters as secrets", async () => {
  const cluster = fakeCluster();
  await gntDebug("test-osparams --os-parameters-secret a=b", { cluster });
  expect(cluster.submitted[0]?.[0]).toMatchObject({
    OP_ID: "OP_TEST_OS_PARAMS",
    osparams_secret: { a: "b" },
  });
});

test("test-jobqueue fails on a queue that accepts any priority", async () => {
  expect((await gntDebug("test-jobqueue")).stderr).toContain(
    "Submitting opcode with priority 19 did not fail when it should",
  );
});
