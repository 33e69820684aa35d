import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  benchUnavailable,
  bringUp,
  type ReferenceBench,
  traceByNode,
  withReferenceCluster,
  writeRecording,
} from "../src/index.js";
import { membersOf, namespaceOf, relaySocket } from "../src/keeper.js";
import { callNode } from "../src/wires.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

describe.skipIf(problem !== undefined)("a bench", () => {
  let bench: ReferenceBench;
  beforeAll(async () => {
    bench = await bringUp();
  });
  afterAll(() => bench?.down());

  const add = (name: string, node: number) =>
    bench.exec("gnt-instance", [
      ...["add", "--no-ip-check", "-o", "noop+default", "-t", "diskless", "-B", "memory=128M"],
      ...["-n", bench.nodes[node]?.name ?? "", name],
    ]);

  test("gnt-cluster verify finds nothing but the missing sysrq-trigger of this kernel, if it is missing", async () => {
    const { status, stdout } = await bench.attempt("gnt-cluster", ["verify"]);
    const errors = stdout.split("\n").filter((line) => line.includes("ERROR"));
    const expected = existsSync("/proc/sysrq-trigger") ? 0 : bench.nodes.length;
    expect(errors.filter((line) => line.includes("/proc/sysrq-trigger"))).toHaveLength(expected);
    expect(errors).toHaveLength(expected);
    expect(status).toBe(expected === 0 ? 0 : 1);
    expect(stdout).toContain("* Verifying group 'g2'");
  });

  test("the population has every kind of object, and a job that failed", async () => {
    const column = async (program: string, field: string) => {
      const { stdout } = await bench.exec(program, ["list", "--no-headers", "-o", field]);
      return stdout.trim().split("\n");
    };
    expect(await column("gnt-instance", "name")).toHaveLength(6);
    expect(await column("gnt-instance", "disk_template")).toContain("file");
    expect(await column("gnt-group", "name")).toEqual(["default", "g2"]);
    expect(await column("gnt-network", "name")).toEqual(["net1"]);
    expect(await column("gnt-filter", "priority")).toEqual(expect.arrayContaining(["10", "20"]));
    expect(await column("gnt-job", "status")).toContain("error");
  });

  test("an instance is added and removed, and the configuration follows", async () => {
    const names = () => {
      const { instances } = JSON.parse(readFileSync(bench.configFile, "utf8"));
      return Object.values<{ name: string }>(instances).map(({ name }) => name);
    };
    await add("inst21.example.com", 1);
    expect(names()).toContain("inst21.example.com");
    await bench.exec("gnt-instance", ["remove", "-f", "inst21.example.com"]);
    expect(names()).not.toContain("inst21.example.com");
  });

  test("a node daemon answers a call with the master's certificate, and refuses one without", async () => {
    const [, node] = bench.nodes;
    if (node === undefined) throw new Error("no second node");
    expect(await bench.call(node, "version", [])).toEqual([true, 3000000]);
    expect(await bench.call(node, "version", ["ü"])).toEqual([true, 3000000]);
    const stranger = { ...node, clientPem: node.serverPem };
    await expect(
      callNode(relaySocket(bench.directory), stranger, node, "version", []),
    ).rejects.toThrow();
  });

  test("a recording of gnt-instance add has its calls per node, its LUXI and RAPI exchanges, and no others", async () => {
    const { recording, value } = await bench.record(async () => {
      await add("inst22.example.com", 1);
      return await bench.request("GET", "/2/instances/inst22.example.com");
    });
    expect(value.status).toBe(200);
    const trace = traceByNode(recording);
    const operation = (trace.get("node2.example.com") ?? [])
      .filter(({ requestHeaders }) => "User-Agent" in requestHeaders)
      .map(({ method }) => method)
      .filter((method) => !method.startsWith("jobqueue_"));
    expect(operation).toEqual([
      ...["hypervisor_validate_params", "os_validate", "bridges_exist", "node_info"],
      ...["hooks_runner", "os_diagnose", "instance_metadata_modify", "instance_start"],
      "hooks_runner",
    ]);
    const start = recording.nodeCalls.find(({ method }) => method === "instance_start");
    expect(start).toMatchObject({
      peer: bench.master.address,
      status: 200,
      arguments: [
        expect.objectContaining({ name: "inst22.example.com", hypervisor: "fake" }),
        false,
        [["gnt:client:gnt-instance", "add", expect.any(Number)], expect.any(Array)],
      ],
      answer: [true, null],
    });
    expect(recording.luxi.map(({ method }) => method)).toContain("SubmitJob");
    // Such times have more digits than a number of JavaScript: what is written down is the original text.
    expect(recording.text).toMatch(/"gnt:client:gnt-instance", "add", \d{19}\]/);
    expect(recording.rapi).toEqual([
      expect.objectContaining({
        method: "GET",
        path: "/2/instances/inst22.example.com",
        status: 200,
        answer: JSON.parse(value.text),
      }),
    ]);

    const after = await bench.record(async () => {});
    expect(after.recording).toEqual({ nodeCalls: [], luxi: [], rapi: [], text: "" });
    await bench.exec("gnt-instance", ["remove", "-f", "inst22.example.com"]);
  });

  test("without master daemons the node daemons go on answering; a restart brings the cluster back", async () => {
    await bench.stopMaster();
    await expect(bench.luxi("QueryClusterInfo", [])).rejects.toThrow();
    for (const node of bench.nodes) {
      expect(await bench.call(node, "version", [])).toEqual([true, 3000000]);
    }
    await bench.startAll();
    const { success, result } = await bench.luxi("QueryClusterInfo", []);
    expect({ success, result }).toMatchObject({
      success: true,
      result: { name: bench.cluster.name },
    });
  });

  test("a recording is written as lines, with the numbers that came over the wire", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ganeti-recording-"));
    try {
      const { recording } = await bench.record(() =>
        bench.exec("gnt-instance", ["reboot", "inst1.example.com"]),
      );
      writeRecording(folder, recording);
      const lines = readFileSync(join(folder, "node-calls.jsonl"), "utf8").split("\n").slice(0, -1);
      expect(lines.map((line) => JSON.parse(line))).toEqual(recording.nodeCalls);
      const reboot = lines.find((line) => line.includes('"method": "instance_reboot"'));
      expect(reboot).toMatch(/"gnt:client:gnt-instance", "reboot", \d{19}\]/);
      const trace = JSON.parse(readFileSync(join(folder, "trace.json"), "utf8"));
      expect(trace["node1.example.com"]).toContain("instance_reboot");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a Node program inside reaches a node daemon at its address", async () => {
    const [, , node] = bench.nodes;
    const code = `const socket = require("net").connect(1811, "${node?.address}", () => {
      console.log("connected");
      socket.destroy();
    });`;
    expect((await bench.exec(process.execPath, ["-e", code])).stdout).toBe("connected\n");
  });

  test("Python inside the bench imports Ganeti and sees the virtual node", async () => {
    const code = "from ganeti import netutils; print(netutils.Hostname.GetSysName())";
    const [, node] = bench.nodes;
    expect(await bench.python(code)).toBe("node1.example.com\n");
    if (node !== undefined) expect(await bench.python(code, { node })).toBe("node2.example.com\n");
  });

  test("a started program ends with the process that stands for it", async () => {
    const child = bench.spawn("sh", ["-c", "echo $$; exec sleep 1000"]);
    const pid = await new Promise<string>((resolve) =>
      child.stdout?.once("data", (text) => resolve(String(text).trim())),
    );
    const runs = async () => (await bench.attempt("kill", ["-0", pid])).status === 0;
    expect(await runs()).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(runs, { timeout: 60_000 }).toBe(false);
  });
});

describe.skipIf(problem !== undefined)("several benches", () => {
  test("benches run in parallel, and nothing of them is left when they are down", async () => {
    const seen = await withReferenceCluster({ populated: false }, (one) =>
      withReferenceCluster({ populated: false }, async (other) => {
        await one.exec("gnt-cluster", ["add-tags", "only-here"]);
        expect((await one.exec("gnt-cluster", ["list-tags"])).stdout).toBe("only-here\n");
        expect((await other.exec("gnt-cluster", ["list-tags"])).stdout).toBe("");
        return [one, other].map(({ directory, initPid, processes }) => {
          expect(processes().length).toBeGreaterThan(10);
          return { directory, namespace: namespaceOf(initPid) ?? "" };
        });
      }),
    );
    expect(seen.map(({ namespace }) => membersOf(namespace))).toEqual([[], []]);
    expect(seen.map(({ directory }) => existsSync(directory))).toEqual([false, false]);
  });

  test("a killed keeper leaves no process of its bench behind", async () => {
    await withReferenceCluster({ populated: false }, async (bench) => {
      const state = readFileSync(join(bench.directory, "bench.json"), "utf8");
      const namespace = namespaceOf(bench.initPid) ?? "";
      expect(membersOf(namespace)).not.toEqual([]);
      process.kill(JSON.parse(state).keeperPid, "SIGKILL");
      await expect.poll(() => membersOf(namespace), { timeout: 60_000 }).toEqual([]);
    });
  });
});
