import { describe, expect, test } from "vitest";
import { creating, ofWeb1, stage } from "../support/hooks.js";
import type { SimulatedCluster } from "../support/simulated.js";

describe("hook scripts", () => {
  const refusing = ({ simulated, nodes }: SimulatedCluster, directory: string) =>
    simulated.addHook({
      node: nodes[1] ?? "",
      directory,
      name: "10-check",
      run: () => ({ ok: false, output: "not today\n" }),
    });

  test("a failing pre script forbids an operation and also a dry run", async () => {
    const cluster = await stage();
    const stop = refusing(cluster, "instance-add-pre.d");
    const { serial } = cluster.config.snapshot;
    const forbidden = [
      "HooksAbort",
      [[["node2.example.com", "instance-add-pre.d/10-check", "not today"]]],
    ];
    for (const dry_run of [false, true]) {
      const ran = await cluster.run(creating({ dry_run }));
      expect(ran).toMatchObject({ status: "error", result: forbidden });
    }
    expect(cluster.config.snapshot.serial).toBe(serial);
    expect([1, 2, 3, 4].flatMap(cluster.volumesOn)).toEqual([]);
    stop();
    expect(await cluster.run(creating())).toMatchObject({ status: "success" });
  });

  test("no script runs if the checks refuse the operation", async () => {
    const { run, runs } = await stage();
    await run(creating({ os_type: "unknown" }));
    expect(runs).toEqual([]);
  });

  test("a failing post script causes a warning and changes nothing", async () => {
    const cluster = await stage();
    refusing(cluster, "instance-add-post.d");
    const { status, log } = await cluster.run(creating({ start: false }));
    expect(status).toBe("success");
    expect(log.at(-1)).toBe(
      " - WARNING: On node2.example.com script instance-add-post.d/10-check failed, output: not today",
    );
    cluster.runs.length = 0;
    await cluster.run(ofWeb1("OP_INSTANCE_STARTUP", { dry_run: true }));
    expect(cluster.runs.map(({ environment }) => environment.GANETI_HOOKS_PHASE)).toEqual([
      "pre",
      "pre",
      "pre",
    ]);
  });

  test("scripts on a node that does not answer forbid nothing", async () => {
    const { run, simulated, nodes } = await stage();
    await simulated.powerOff(nodes[0] ?? "");
    const { status, log } = await run({ OP_ID: "OP_GROUP_ADD", group_name: "g2" });
    expect(status).toBe("success");
    expect(log).toEqual(
      [1, 2].map(() =>
        expect.stringMatching(/^ - WARNING: Communication failure to node node1\.example\.com: /),
      ),
    );
  });

  test("a failing script on a node makes its group's verification fail", async () => {
    const cluster = await stage();
    const op = { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" };
    expect((await cluster.run(op)).result).toBe(true);
    refusing(cluster, "cluster-verify-post.d");
    const { result, log } = await cluster.run(op);
    expect(result).toBe(false);
    expect(log.slice(-3)).toEqual([
      "* Hooks Results",
      "  - ERROR: node node2.example.com: Script cluster-verify-post.d/10-check failed, output:",
      "      not today",
    ]);
  });

  test("config-update hooks of the master run after the changes that Ganeti's job processes write", async () => {
    const { run, simulated } = await stage();
    const told: string[] = [];
    simulated.addHook({
      directory: "config-update-post.d",
      name: "00",
      run: ({ GANETI_OP_CODE: code }) => void told.push(code ?? ""),
    });
    const group = { OP_ID: "OP_GROUP_ADD", group_name: "more" };
    await run({ ...group, dry_run: true });
    await run(group);
    await run({ OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["a"], name: "" });
    const node = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com" };
    await run({ ...node, ndparams: { spindle_count: 2 } });
    await run({ ...node, drained: true });
    await run({ OP_ID: "OP_CLUSTER_QUERY" });
    expect(told).toEqual(["OP_GROUP_ADD", "OP_NODE_SET_PARAMS"]);
  });
});
