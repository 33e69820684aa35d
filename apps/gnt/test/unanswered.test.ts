/** Questions without a terminal: the refusal gives the reason and the option that answers. */
import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import type { Program } from "../src/command.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntJob } from "../src/programs/gnt-job.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { type FakeCluster, fakeCluster, type Thing, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const programs: Readonly<Record<string, Program>> = {
  "gnt-cluster": gntCluster,
  "gnt-instance": gntInstance,
  "gnt-job": gntJob,
  "gnt-node": gntNode,
};

const values: Thing = {
  name: "web1",
  pinst_list: ["web1", "web2"],
  sinst_list: [],
  forthcoming: false,
  id: 9,
  master: false,
  powered: true,
  offline: false,
  uuid: "u",
  summary: [],
  status: "queued",
};

/**
 * A cluster with one object of each kind; jobs succeed with a result that any command can print.
 */
const aCluster = (): FakeCluster =>
  fakeCluster({
    info: async () => ({ name: "cluster" }),
    query: async (_, names) => tableOf(names, [names.map((name) => values[name] ?? null)]),
    jobOf: (opcodes) => ({ results: opcodes.map(({ OP_ID }) => resultOf(OP_ID)) }),
  });

const resultOf = (id: string): Json => {
  if (id === "OP_CLUSTER_MASTER_FAILOVER") return ["node1", "node2"];
  if (id === "OP_NODE_EVACUATE" || id === "OP_NODE_MIGRATE") return { jobs: [] };
  return id === "OP_OOB_COMMAND" || id === "OP_NODE_SET_PARAMS" ? [] : null;
};

describe("a question without a terminal", () => {
  test.each([
    ["gnt-instance rename web1 web2 --no-name-check", "--force", 1],
    ["gnt-instance remove web1", "--force", 1],
    ["gnt-instance failover web1", "--force", 1],
    ["gnt-instance failover --ignore-consistency web1", "--force", 1],
    ["gnt-instance migrate web1", "--force", 1],
    ["gnt-instance move -n node2 web1", "--force", 1],
    ["gnt-instance modify --hotplug --net 0:modify,ip=1.2.3.4 web1", "--force", 1],
    ["gnt-instance reinstall web1", "--force", 1],
    ["gnt-instance reinstall --all", "--force-multiple", 1],
    ["gnt-instance shutdown --all", "--force-multiple", 1],
    ["gnt-node modify --offline=no node1", "--force", 1],
    ["gnt-node powercycle node1", "--yes", 2],
    ["gnt-node failover node1", "--force", 2],
    ["gnt-node migrate node1", "--force", 13],
    ["gnt-node evacuate node1", "--force", 13],
    ["gnt-node power off node1", "--force", 1],
    ["gnt-job cancel --queued", "--force", 13],
    ["gnt-cluster rename other", "--force", 1],
    ["gnt-cluster renew-crypto --new-cluster-certificate", "--force", 1],
    ["gnt-cluster epo node1", "--force", 1],
    ["gnt-cluster deactivate-master-ip", "--yes", 1],
    ["gnt-cluster master-failover node1 --no-voting", "--yes-do-it", 1],
  ])("of %s is shown with the option that answers it: %s", async (line, option, exitCode) => {
    const [name = "", ...words] = line.split(" ");
    const asked = aCluster();
    const refused = await runLine(programs[name] as Program, words.join(" "), { cluster: asked });
    expect(refused.stderr).toContain(
      "There is no terminal to ask on, so the answer is taken to be 'n' and nothing is done." +
        ` Use ${option} to answer without a terminal.\n`,
    );
    expect(refused.stderr).toMatch(/\?\n(There is no|Affected )/);
    expect([refused.code, asked.submitted, asked.done]).toEqual([exitCode, [], []]);

    const told = aCluster();
    const answered = await runLine(programs[name] as Program, `${words.join(" ")} ${option}`, {
      cluster: told,
    });
    expect(answered.stderr).not.toContain("There is no terminal");
    expect(told.submitted.length + told.done.length).toBeGreaterThan(0);
  });

  test("reinstall --select-os without a terminal names the option for the operating system", async () => {
    const cluster = fakeCluster({
      query: aCluster().query,
      jobOf: () => ({ results: [[["noop", ["default"]]]] }),
    });
    const { stderr } = await runLine(gntInstance, "reinstall --select-os web1", { cluster });
    expect(stderr).toBe(
      "Enter OS template number (or x to abort):\n" +
        "There is no terminal to ask on, so the answer is taken to be 'x' and nothing is done." +
        " Use --os-type=OS instead of --select-os to answer without a terminal.\n" +
        "User aborted reinstall, exiting\n",
    );
  });
});

describe("-f skips every question", () => {
  test.each([
    [gntNode, "powercycle -f node1"],
    [gntInstance, "failover -f --ignore-consistency web1"],
    [gntNode, "modify -f --offline=no node1"],
  ])("%o %s", async (program, line) => {
    const cluster = aCluster();
    const { stderr, stdout } = await runLine(program, line, { cluster, typed: ["n"] });
    expect([stderr, stdout]).toEqual(["", expect.not.stringContaining("y/[n]")]);
    expect(cluster.submitted).toHaveLength(1);
  });
});
