// The client against real node daemons of Ganeti 3.0.2, on the virtual nodes of the bench.
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import { nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { benchUnavailable, bringUp, type ReferenceBench } from "@ganeti-ts/reference";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BenchClient, benchClient } from "./bench-client.js";
import { caller } from "./loopback.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

describe.skipIf(problem !== undefined)("The client and node daemons of Ganeti", () => {
  let bench: ReferenceBench;
  let made: BenchClient;

  beforeAll(async () => {
    bench = await bringUp();
    made = await benchClient(bench);
  });
  afterAll(async () => {
    made?.close();
    await bench?.down();
  });

  const names = () => bench.nodes.map(({ name }) => name);

  async function ask<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
  ): Promise<NodeCallValue<Name>> {
    const answer = await made.client.call(node, name, args, caller);
    if (!answer.ok) throw new Error(`${name}: ${answer.message}`);
    return answer.value;
  }

  const fake = { name: "fake", hvparams: { migration_mode: "live" } };

  test("the catalog has exactly the calls that a daemon answers", async () => {
    const code = [
      "from ganeti.server import noded",
      "names = dir(noded.NodeRequestHandler)",
      "print(*(n[12:] for n in names if n.startswith('perspective_')))",
    ];
    const answered = (await bench.python(code.join("\n"))).trim().split(" ");
    expect(Object.keys(nodeCalls).sort()).toEqual(answered.sort());
  });

  test("all nodes report their version and their master, in parallel", async () => {
    const versions = await Promise.all(names().map((node) => ask(node, "version", {})));
    expect(versions).toEqual(names().map(() => ({ protocol: 3_000_000 })));
    const masters = await Promise.all(names().map((node) => ask(node, "master_node_name", {})));
    expect(masters).toEqual(names().map(() => bench.master.name));
  });

  test("a node reports its figures, its OS definitions, and the instances that Ganeti's list shows on it", async () => {
    const { stdout } = await bench.exec("gnt-instance", [
      ...["list", "--no-headers", "--separator=|", "-o", "name,pnode,status"],
    ]);
    const rows = stdout.trim().split("\n");
    const listed = rows.map((row) => row.split("|")).filter(([, , state]) => state === "running");
    const found: (readonly [string, string])[] = [];
    for (const node of names()) {
      const all = await ask(node, "all_instances_info", { hypervisors: [fake] });
      for (const name of Object.keys(all)) {
        found.push([name, node]);
        const one = await ask(node, "instance_info", { name, hypervisor: fake });
        expect(one).toEqual(all[name]);
      }
    }
    expect(found.length).toBeGreaterThan(0);
    expect(found.sort()).toEqual(listed.map(([name, node]) => [name, node]).sort());

    const storage = [{ type: "file", key: "/srv/vcluster/file-storage" }];
    const info = await ask(bench.master.name, "node_info", { storage, hypervisors: [fake] });
    expect(info.storage?.[0]?.free).toBeGreaterThan(0);
    expect(info.hypervisors?.[0]?.memoryTotalMib).toBeGreaterThan(0);
    const systems = await ask(bench.master.name, "os_diagnose", {});
    expect(systems).toMatchObject([{ name: "noop", valid: true, trusted: true }]);
  });

  test("a verification shows the files of a virtual node with paths without prefix", async () => {
    const path = "/var/lib/ganeti/ssconf_master_node";
    const { files, version } = await ask(bench.master.name, "node_verify", {
      clusterName: "cluster.example.com",
      hypervisorParameters: {},
      files: [path],
      version: true,
    });
    expect(Object.keys(files ?? {})).toEqual([path]);
    expect(version).toEqual({ protocol: 3_000_000, release: "3.0.2" });
  });

  test("a directory and a disk in it are created, found and removed", async () => {
    const node = bench.master.name;
    const directory = "/srv/vcluster/file-storage/node-rpc-test";
    const disk = {
      uuid: "5d0ca3f0-0000-4000-8000-000000000001",
      dev_type: "file" as const,
      logical_id: ["loop", `${directory}/disk0`],
      size: 8,
      mode: "rw",
      iv_name: "disk/0",
      params: {},
    };
    await ask(node, "file_storage_dir_create", { directory });
    await ask(node, "blockdev_create", {
      disk,
      sizeMib: 8,
      owner: "inst99.example.com",
      onPrimary: true,
      info: "originstname+inst99.example.com",
      exclusiveStorage: false,
    });
    expect(await ask(node, "blockdev_find", { disk })).toMatchObject({ localDisk: "ok" });
    await ask(node, "blockdev_shutdown", { disk });
    await ask(node, "blockdev_remove", { disk });
    expect(await ask(node, "blockdev_find", { disk })).toBeNull();
    await ask(node, "file_storage_dir_remove", { directory });
  });

  test("a failure of a node has the node's own text", async () => {
    const answer = await made.client.call(
      names()[1] ?? "",
      "bridges_exist",
      { bridges: ["brä"] },
      caller,
    );
    expect(answer).toMatchObject({ ok: false, message: "Missing bridges brä" });
  });
});
