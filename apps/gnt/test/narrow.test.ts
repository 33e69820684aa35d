/** Lists on a terminal that is too narrow for them. */
import { expect, test } from "vitest";
import { program as gntGroup } from "../src/programs/gnt-group.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { aTerminal } from "./a-terminal.js";
import { answering, fakeCluster, type Thing } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

/** A cluster with one object with these values. */
const clusterOf = (thing: Thing) => fakeCluster({ query: answering([thing]) });

const cluster = clusterOf({
  name: "a-name-that-is-rather-long.example.com",
  hypervisor: "kvm",
  os: "debian+stable",
  pnode: "node17.example.com",
  status: "running",
  oper_ram: "512M",
  forthcoming: false,
});
const list = async (line: string, columns?: number) => {
  const terminal = columns === undefined ? undefined : aTerminal(columns);
  return runLine(gntInstance, `list ${line}`, { cluster, terminal });
};
const titles = ({ stdout }: { readonly stdout: string }) => stdout.split("\n")[0]?.split(/ +/);
const all = ["name", "hypervisor", "os", "pnode", "status", "oper_ram"];

test.each([
  [120, all, ""],
  [92, ["name", "os", "pnode", "status", "oper_ram"], "hypervisor"],
  [80, ["name", "pnode", "status", "oper_ram"], "hypervisor, os"],
  [40, ["name", "pnode", "status"], "hypervisor, os, oper_ram"],
])(
  "a list on a terminal of %i columns has those that fit, and names the others",
  async (columns, shown, leftOut) => {
    const ran = await list("", columns);
    expect(titles(ran)).toEqual(shown);
    expect(ran.stderr).toBe(
      leftOut === ""
        ? ""
        : `Left out on this narrow terminal: ${leftOut}. --wide shows all columns.\n`,
    );
  },
);

test.each([
  ["--wide", 40],
  ["", undefined],
  ["--wide", undefined],
] as const)("with %j on a terminal of %j columns nothing is left out", async (line, columns) => {
  const ran = await list(line, columns);
  expect([titles(ran), ran.stderr]).toEqual([all, ""]);
});

test("requested columns, and lists with separators, are never shortened", async () => {
  expect(titles(await list("-o name,os,hypervisor", 40))).toEqual(["name", "os", "hypervisor"]);
  expect((await list("--separator=: --no-headers", 40)).stdout.split(":")).toHaveLength(6);
});

test("lists of groups leave out node parameters on a narrow terminal", async () => {
  const ndparams = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`parameter${at}`, at]));
  const groups = clusterOf({
    name: "default",
    node_cnt: "2",
    pinst_cnt: "1",
    alloc_policy: "p",
    ndparams,
  });
  const { stdout } = await runLine(gntGroup, "list", { cluster: groups, terminal: aTerminal() });
  expect(stdout).not.toContain("parameter0");
});
