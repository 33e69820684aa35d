// CPU loads from monitoring daemons, seen through hail's node table.
import { expect, test } from "vitest";
import { hailIn, type World } from "./fake-ports.js";
import { wireInstance, wireMessage, wireNode } from "./message.js";

const request = JSON.stringify(
  wireMessage({
    nodes: {
      node1: wireNode({ free_memory: 29696 }),
      node2: wireNode({ free_memory: 30720 }),
    },
    instances: {
      a: wireInstance({ nodes: ["node1"], vcpus: 2 }),
      b: wireInstance({ nodes: ["node1"], vcpus: 3 }),
      c: wireInstance({ nodes: ["node2"] }),
    },
  }),
);

const report = (name: string, data: unknown, change: object = {}) => ({
  name,
  version: "B",
  format_version: 1,
  timestamp: 1379507272000000000,
  category: null,
  kind: 0,
  data,
  ...change,
});
const cpu = (total: number, change: object = {}) =>
  report("cpu-avg-load", { cpu_number: 2, cpus: [total / 2, total / 2], cpu_total: total }, change);
const xen = (loads: object) => report("xen-cpu-avg-load", loads);

const webOf = (collector: string, ...reports: unknown[]): NonNullable<World["web"]> =>
  Object.fromEntries(
    reports.map((each, index) => [
      `http://node${index + 1}:1815/1/report/default/${collector}`,
      typeof each === "string" ? each : JSON.stringify(each),
    ]),
  );

/** CPU loads of the nodes before the request, and what stderr says about them. */
async function loads(world: World, ...argv: string[]) {
  const { stderr, exitCode } = await hailIn(
    { stdin: request, ...world },
    "--no-capacity-checks",
    "-pcload",
    ...argv,
    "-",
  );
  const [said = "", table = ""] = stderr.split("\nInitial cluster status:\n");
  return { exitCode, said, loads: table.split("\n").slice(1, 3).map(Number) };
}
const assumed = [2, 1];
const ignored = "Didn't receive an answer by all MonDs, cpu-avg-load's data will be ignored.\n";
const noAnswer = "Failed to contact node's node2 MonD for DC cpu-avg-load\n";

test("the daemon of every node is queried for its CPU load", async () => {
  const web = webOf("cpu-avg-load", cpu(1.5), cpu(0.25));
  expect(await loads({ web }, "--mond")).toEqual({ exitCode: 0, said: "", loads: [1.5, 0.25] });
});

test("the load of a node is divided among its instances, and moves with them", async () => {
  const message = { ...JSON.parse(request) };
  message.request = { type: "relocate", name: "b", required_nodes: 1, relocate_from: ["node1"] };
  const web = webOf("cpu-avg-load", cpu(1.5), cpu(0.25));
  const world = { stdin: JSON.stringify(message), web };
  const { stderr } = await hailIn(world, "--mond", "-pcload", "-");
  // 1.5 on 6 virtual CPUs, 3 of them of the instance that moves
  expect(stderr).toContain("Final cluster status:\n  lCpu\n 0.750\n 1.000\n");
});

test.each([
  { why: "no answer", reports: [cpu(1)], said: noAnswer + ignored },
  { why: "an answer that is not JSON", reports: [cpu(1), "garbage"], said: ignored },
  { why: "an answer that is not a report", reports: [cpu(1), [cpu(1)]], said: ignored },
  { why: "a key too much", reports: [cpu(1), cpu(1, { more: 1 })], said: ignored },
  { why: "a missing key", reports: [cpu(1), cpu(1, { version: undefined })], said: ignored },
  { why: "an unknown category", reports: [cpu(1), cpu(1, { category: "x" })], said: ignored },
  { why: "an unknown kind", reports: [cpu(1), cpu(1, { kind: 5 })], said: ignored },
  { why: "data of another kind", reports: [cpu(1), xen({ c: 1 })], said: ignored },
  {
    why: "a load that is not a number",
    reports: [cpu(1), report("x", { cpu_total: "1" })],
    said: ignored,
  },
])("with $why in a report, all loads stay at their defaults", async ({ reports, said }) => {
  const web = webOf("cpu-avg-load", ...reports);
  expect(await loads({ web }, "--mond")).toEqual({ exitCode: 0, said, loads: assumed });
});

test("a report may lack its category, and its name is ignored", async () => {
  const named = cpu(3, { name: "other", category: "instance" });
  const web = webOf("cpu-avg-load", cpu(2, { category: undefined, kind: 1 }), named);
  expect(await loads({ web }, "--mond")).toMatchObject({ said: "", loads: [2, 3] });
});

test("the Xen collector knows instances; a node has the sum of its own", async () => {
  const web = webOf("xen-cpu-avg-load", xen({ a: 1.5, b: 2 }), xen({ c: 3, other: 9 }));
  const outcome = await loads({ web }, "--mond", "--mond-xen");
  expect(outcome).toMatchObject({ said: "", loads: [3.5, 3] });
});

test("every instance must be known to the Xen collector", async () => {
  const web = webOf("xen-cpu-avg-load", xen({ b: 2 }), xen({}));
  const outcome = await loads({ web }, "--mond", "--mond-xen");
  const said = 'No CPU information available for ["a","c"]\n';
  expect(outcome).toMatchObject({ said, loads: assumed });
});

test.each([["--mond-xen"], ["--mond=no"], ["--mond", "--ignore-dynu"]])(
  "%s asks nobody",
  async (...argv) => {
    const httpGet = () => Promise.reject(new Error("asked"));
    expect(await loads({ change: { httpGet } }, ...argv)).toMatchObject({ loads: assumed });
  },
);

test("if the cluster is replaced, the daemons of the replacing nodes are queried", async () => {
  const { said } = await loads({}, "--mond", "--simulate=p,1,1t,64g,8");
  expect(said).toBe(`Failed to contact node's node-01-001 MonD for DC cpu-avg-load\n${ignored}`);
});

test("complaints about reports come in node order, whatever the order of the answers", async () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`n${index}`, wireNode()]),
  );
  const httpGet = (url: string) =>
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), url.length % 7));
  const stdin = JSON.stringify(wireMessage({ nodes }));
  const { stderr } = await hailIn({ stdin, change: { httpGet } }, "--mond", "-");
  const names = [...stderr.matchAll(/node's (\w+) MonD/g)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(nodes));
});

const file = (...nodes: [string, ...unknown[]][]): World => ({
  files: { reports: JSON.stringify(nodes.map(([node, ...reports]) => ({ node, reports }))) },
});

test("--mond-data replaces the daemons only with --mond", async () => {
  const world = file(["node2", report("disk", {}), cpu(3), cpu(4)], ["node1", cpu(1)]);
  const outcome = await loads(world, "--mond", "--mond-data=reports");
  expect(outcome).toEqual({ exitCode: 0, said: "", loads: [1, 3] });
  expect(await loads(world, "--mond-data=reports")).toMatchObject({ said: "", loads: assumed });
});

test("a node missing in the file counts as not answering", async () => {
  const outcome = await loads(file(["node1", cpu(1)]), "--mond", "--mond-data=reports");
  expect(outcome).toEqual({ exitCode: 0, said: ignored, loads: assumed });
});

const reports = "can't parse MonD data: Parsing node's reports: key 'reports'";
test.each([
  [
    "",
    "can't parse MonD data: Parsing MonD's answer: Invalid JSON: a JSON text a serialized object or array at the top level.",
  ],
  ["{}", "can't parse MonD data: Parsing MonD's answer: Unable to read list\n"],
  ["[1]", "can't parse MonD data: Parsing MonD's answer: Unable to read JSObject\n"],
  [
    '[{"reports":[]}]',
    `can't parse MonD data: Parsing node's name: key 'node' not found, object contains only ["reports"]\n`,
  ],
  [
    '[{"node":1,"reports":[]}]',
    "can't parse MonD data: Parsing node's name: key 'node': Unable to read String\n",
  ],
  ['[{"node":"a","reports":{}}]', `${reports}: Unable to read list\n`],
  [
    '[{"node":"a","reports":[{"name":"x"}]}]',
    `${reports}: key 'version' not found, object contains only ["name"]\n`,
  ],
  [
    JSON.stringify([{ node: "a", reports: [cpu(1, { kind: 7 })] }]),
    `${reports}: Can't parse value for 'kind': Invalid JSON value 7 for type DCKind\n`,
  ],
  [
    JSON.stringify([{ node: "a", reports: [cpu(1, { zz: 1 })] }]),
    `${reports}: Superfluous dictionary keys: ["zz"], but only ["category","data","format_version","kind","name","timestamp","version"] allowed.\n`,
  ],
])("a file of reports is refused: %s", async (text, message) => {
  const world = { stdin: request, files: { reports: text } };
  const { exitCode, stderr } = await hailIn(world, "--mond", "--mond-data=reports", "-");
  expect(exitCode).toBe(1);
  expect(stderr.slice(0, `Error: ${message}`.length)).toBe(`Error: ${message}`);
});
