// Commands of gnt-cluster on nodes, about the master and about versions.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@ganeti-ts/protocol";
import { RapiError } from "@ganeti-ts/rapi-client/transport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GanetiError } from "../src/errors.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

type Answer = (path: string, body: Json) => Json;

/** node1 is the master, node3 is offline. */
function nodesThat(answer: Answer, names = ["node1", "node2", "node3", "node4"]) {
  const calls: Json[] = [];
  const cluster = fakeCluster({
    query: async (_, fields) =>
      tableOf(
        fields,
        names.map((name) => fields.map((field) => fieldOf(name, field))),
      ),
    call: async (method, path, parts) => {
      calls.push([method, path, parts?.body ?? null]);
      return answer(path, parts?.body ?? null);
    },
  });
  return { cluster, calls };
}

const fieldOf = (name: string, field: string): Json =>
  ({
    name,
    offline: name === "node3",
    master: name === "node1",
    master_candidate: name !== "node4",
  })[field] ?? null;

/** The server's refusal. */
function refusal(status: number, says: string): never {
  const cause = new RapiError("refused", says, { method: "POST", url: "http://localhost", status });
  throw new GanetiError("GenericError", [says], { cause });
}

describe("gnt-cluster command", () => {
  test("a command runs on one node after the other, the master last, with exit codes", async () => {
    const { cluster, calls } = nodesThat((path) =>
      path.includes("node4")
        ? refusal(502, "node4 is dead")
        : { output: `${path}\n`, exit_code: path.includes("node1") ? 7 : 0 },
    );
    const { code, stdout, stderr } = await runLine(gntCluster, "command cat -n /etc/motd", {
      cluster,
    });
    const ruler = "------------------------------------------------";
    expect(stdout.split("\n")).toEqual([
      ...[ruler, "node: node2", "/ganeti-ts/1/nodes/node2/command", "", "return code = 0"],
      ...[ruler, "node: node4", "node4 is dead", "", "return code = 255"],
      ...[ruler, "node: node1", "/ganeti-ts/1/nodes/node1/command", "", "return code = 7", ""],
    ]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Note: skipping offline node(s): node3\n",
    });
    expect(calls[0]).toEqual([
      ...["POST", "/ganeti-ts/1/nodes/node2/command"],
      { command: "cat -n /etc/motd" },
    ]);
  });

  test("--failure-only shows only failures, with the node's name on each line", async () => {
    const { cluster } = nodesThat((path) => ({
      output: "a\nb\n",
      exit_code: path.includes("node2") ? 1 : 0,
    }));
    const { stdout } = await runLine(gntCluster, "command -M --failure-only false", { cluster });
    expect(stdout).toBe(`${"-".repeat(48)}\nnode2: a\nnode2: b\nreturn code = 1\n`);
  });

  test("commands on nodes are refused for a server of Ganeti", async () => {
    const { cluster } = nodesThat(() => refusal(404, "Nothing matches the given URI"));
    const { code, stdout, stderr } = await runLine(gntCluster, "command true", { cluster });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("gnt-cluster command has to be run on the master of a Ganeti cluster");
  });
});

describe("gnt-cluster copyfile", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "copyfile-"));
    writeFileSync(join(folder, "text"), "\ufeffgrüße\n", { mode: 0o640 });
    writeFileSync(join(folder, "binary"), Buffer.from([0xff, 0xfe, 0x00]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a file is copied to the same path on nodes, and a failed node sets the exit code", async () => {
    const { cluster, calls } = nodesThat((path) =>
      path.includes("node4") ? refusal(502, "disk full") : null,
    );
    const path = join(folder, "text");
    const { code, stderr } = await runLine(gntCluster, `copyfile ${path}`, { cluster });
    const body = { path, content: "\ufeffgrüße\n", mode: 0o640 };
    expect(calls).toEqual([
      ["PUT", "/ganeti-ts/1/nodes/node1/file", body],
      ["PUT", "/ganeti-ts/1/nodes/node2/file", body],
      ["PUT", "/ganeti-ts/1/nodes/node4/file", body],
    ]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Note: skipping offline node(s): node3\nCopy of file ${path} to node node4 failed: disk full\n`,
    );
  });

  test("a file is not copied to the machine it comes from", async () => {
    const { cluster, calls } = nodesThat(() => null, [hostname(), `${hostname()}.example.com`]);
    const { code } = await runLine(gntCluster, `copyfile ${join(folder, "text")}`, { cluster });
    expect({ code, calls }).toEqual({ code: 0, calls: [] });
  });

  test.each([
    ["nosuch", "No such filename '"],
    ["binary", "it is no text in UTF-8"],
    [".", "EISDIR"],
  ])("%s cannot be copied", async (name, words) => {
    const { cluster, calls } = nodesThat(() => null);
    const { code, stderr } = await runLine(gntCluster, `copyfile ${join(folder, name)}`, {
      cluster,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(calls).toEqual([]);
  });
});

describe("gnt-cluster master-failover", () => {
  const failing = (names?: string[]) => {
    const { cluster } = nodesThat(() => null, names);
    const jobOf = () => ({ results: [["node1", "node2"]] });
    return fakeCluster({ query: cluster.query, jobOf });
  };

  test("master-failover goes to the named node", async () => {
    const cluster = failing();
    const { code, stdout } = await runLine(
      gntCluster,
      "master-failover --ignore-offline-nodes=yes node2",
      { cluster },
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Master failed over from node1 to node2\n",
    });
    expect(cluster.submitted[0]?.[0]).toMatchObject({
      OP_ID: "OP_CLUSTER_MASTER_FAILOVER",
      node_name: "node2",
      no_voting: false,
      ignore_offline_nodes: true,
    });
  });

  test("master-failover without a name goes to the node it runs on", async () => {
    const cluster = failing(["node1", `${hostname()}.example.com`]);
    await runLine(gntCluster, "master-failover", { cluster });
    expect(cluster.submitted[0]?.[0]?.node_name).toBe(`${hostname()}.example.com`);
    const { code, stderr } = await runLine(gntCluster, "master-failover", { cluster: failing() });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /is not a node of the cluster: name the new master,.*master-failover NODE\. Candidates: node2\n$/,
    );
  });

  test("master-failover without voting needs a confirmation", async () => {
    const cluster = failing();
    const line = "master-failover --no-voting node2";
    expect((await runLine(gntCluster, line, { cluster, typed: ["n"] })).code).toBe(1);
    expect(cluster.submitted).toEqual([]);
    expect((await runLine(gntCluster, line, { cluster, typed: ["y"] })).code).toBe(0);
    expect((await runLine(gntCluster, `${line} --yes-do-it`, { cluster })).code).toBe(0);
    expect(cluster.submitted).toHaveLength(2);
  });
});

describe("gnt-cluster upgrade", () => {
  const cluster = fakeCluster({
    info: async () => ({ software_version: "3.0.2", config_version: 3_000_000 }),
  });

  test.each([
    ["--to=3.0", 0, /^$/, /^The cluster is at version 3\.0\.2, its configuration at 3000000/],
    ["--to=3.0.2", 0, /^$/, /nothing to upgrade\n$/],
    ["--resume", 0, /^$/, /^$/],
    ["", 1, /^Precisely one of the options --to and --resume has to be given\n$/, /^$/],
    ["--to=3.0 --resume", 1, /^Precisely one of the options/, /^$/],
    ["--to=new", 1, /^Could not parse version string new\n$/, /^$/],
    ["--to=2.9", 1, /^Cannot upgrade to 2\.9: automatic upgrades only supported from 2\.10/, /^$/],
    ["--to=4.0", 1, /^Cannot upgrade to 4\.0: major version up- or downgrades are only/, /^$/],
    ["--to=3.1", 1, /^Cannot upgrade to 3\.1: this server speaks for version 3\.0\.2, /, /^$/],
    ["--to=2.16", 1, /^Cannot upgrade to 2\.16: this server speaks for version 3\.0\.2, /, /^$/],
  ])("%s ends with code %i", async (options, code, stderr, stdout) => {
    const ran = await runLine(gntCluster, `upgrade ${options}`, { cluster });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(stderr);
    expect(ran.stdout).toMatch(stdout);
  });
});
