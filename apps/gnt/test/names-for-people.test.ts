/**
 * Readable output on a terminal: names instead of UUIDs, plain words instead of raw texts and
 * ambiguous states.
 */
import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { Cluster } from "../src/cluster.js";
import type { Program } from "../src/command.js";
import { GanetiError } from "../src/errors.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntFilter } from "../src/programs/gnt-filter.js";
import { program as gntGroup } from "../src/programs/gnt-group.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntNetwork } from "../src/programs/gnt-network.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { program as gntOs } from "../src/programs/gnt-os.js";
import { aTerminal } from "./a-terminal.js";
import { answering, fakeCluster, type Thing, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const [one, two] = ["5cc135fb-0000-4000-8000-000000000001", "0e40b5cf-0000-4000-8000-000000000002"];

/** A query with these rows; records the requested fields. */
function asking(rows: readonly Thing[]) {
  const asked: (readonly string[])[] = [];
  const query: Cluster["query"] = async (kind, names, _filter) => {
    asked.push(names);
    return answering(rows)(kind, names, null);
  };
  return { asked, query };
}

test("gnt-os diagnose shows sorted names of nodes on a terminal", async () => {
  const found: Json = ["/srv/noop", true, "", ["default"], [], [20], true];
  const row: Json = ["noop", true, ["default"], { [one]: [found], [two]: [found] }, false, false];
  const { query, asked } = asking([
    { uuid: one, name: "node1.example.com" },
    { uuid: two, name: "node2.example.com" },
  ]);
  const cluster = fakeCluster({ query, jobOf: () => ({ results: [[row]] }) });
  const nodesIn = (text: string) => text.match(/(?<=Node: )[^,]+/g);
  const { stdout } = await runLine(gntOs, "diagnose", { cluster, terminal: aTerminal() });
  expect(nodesIn(stdout)).toEqual(["node1.example.com", "node2.example.com"]);
  const piped = await runLine(gntOs, "diagnose", { cluster });
  expect(nodesIn(piped.stdout)).toEqual([two, one]);
  expect(asked).toHaveLength(1);
});

test("an unknown action of a filter rule is refused on a terminal with the list of actions", async () => {
  const cluster = fakeCluster();
  const refused = await runLine(gntFilter, "add --action PAUS", { cluster, terminal: aTerminal() });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    "'PAUS' is not an action of a filter rule: choose ACCEPT, CONTINUE, PAUSE, REJECT or 'RATE_LIMIT N'.\n",
  ]);
  expect(cluster.done).toEqual([]);
  for (const action of ["PAUSE", "'RATE_LIMIT 3'"]) {
    const line = `add --action ${action}`;
    expect((await runLine(gntFilter, line, { cluster, terminal: aTerminal() })).code).toBe(0);
  }
  await runLine(gntFilter, "add --action PAUS", { cluster });
  expect(cluster.done.map(([, , rule]) => (rule as { action: Json }).action)).toEqual([
    ...["PAUSE", ["RATE_LIMIT", 3], "PAUS"],
  ]);
});

test.each(["add", "replace 00000000-0000-4000-8000-000000000001"])(
  "a predicate that %s cannot use is refused with the reason on a terminal, in a pipe as Ganeti does",
  async (command) => {
    const reason = "malformed FilterPredicate: bad parameter list for 'job' predicate: [1]";
    const message = `Failed to parse request: Cannot convert value '[null, 0, [["job", 1]]]', error: ${reason}`;
    const cluster = fakeCluster({
      putFilter: () => Promise.reject(new GanetiError("ProtocolError", [message])),
    });
    const line = `${command} --predicates '[["job", 1]]'`;
    const shown = await runLine(gntFilter, line, { cluster, terminal: aTerminal() });
    expect([shown.code, shown.stderr]).toEqual([
      1,
      `There cannot be such a filter rule: ${reason}\n`,
    ]);
    const piped = await runLine(gntFilter, line, { cluster });
    expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining(message)]);
  },
);

test.each([
  ["--enabled-disk-templates=plain,drdb", "Unknown disk template 'drdb': choose from .*\\bdrbd\\b"],
  ["--enabled-hypervisors=fake,vkm", "Unknown hypervisor 'vkm': choose from .*\\bkvm\\b"],
  ["--default-iallocator-for=move=hail", "Unknown type of request 'move': choose .*\\brelocate\\b"],
  ["--default-iallocator-for=relocate", "relocate needs names: relocate=NAME,…"],
  ["-I hail --default-iallocator-for=relocate=hail", "Give either .*, not both"],
])("gnt-cluster modify %s is refused with what is possible", async (options, text) => {
  const cluster = fakeCluster();
  const { code, stderr } = await runLine(gntCluster, `modify ${options}`, { cluster });
  expect([code, cluster.submitted]).toEqual([1, []]);
  expect(stderr).toMatch(new RegExp(`\n${text}.*\n$`));
});

test("a reservation has its own status on a terminal, and Ganeti's in a pipe", async () => {
  const { query, asked } = asking([
    { name: "web1", status: "ADMIN_down", forthcoming: false },
    { name: "web2", status: "ADMIN_down", forthcoming: true },
  ]);
  const cluster = fakeCluster({ query });
  const line = "list --no-headers --separator=: -o status,name";
  const shown = await runLine(gntInstance, line, { cluster, terminal: aTerminal() });
  expect(shown.stdout).toBe("ADMIN_down:web1\nreserved:web2\n");
  const piped = await runLine(gntInstance, line, { cluster });
  expect(piped.stdout).toBe("ADMIN_down:web1\nADMIN_down:web2\n");
  await runLine(gntInstance, "list -o name", { cluster, terminal: aTerminal() });
  expect(asked).toEqual([["status", "name", "forthcoming"], ["status", "name"], ["name"]]);
});

test.each<[string, Program, string]>([
  ["instance", gntInstance, "add -t diskless -o noop --no-name-check --no-ip-check thing"],
  ["group", gntGroup, "add thing"],
  ["network", gntNetwork, "add --network=192.0.2.0/24 thing"],
  ["node", gntNode, "add thing"],
])(
  "the UUID of a new %s is reported on a terminal, and not in a pipe",
  async (kind, program, line) => {
    let isMade = false;
    const { query } = asking([{ name: "thing.example.com", uuid: one }]);
    const cluster = fakeCluster({
      query: async (...asked) => (isMade ? query(...asked) : tableOf([], [])),
      jobOf: () => {
        isMade = true;
        return {};
      },
    });
    const report = `Created ${kind} thing.example.com, UUID ${one}\n`;
    const shown = await runLine(program, line, { cluster, terminal: aTerminal() });
    expect([shown.code, shown.stdout]).toEqual([0, report]);
    isMade = false;
    expect((await runLine(program, line, { cluster })).stdout).toBe("");
    isMade = false;
    const { stdout } = await runLine(program, `${line} --json`, { cluster });
    expect(JSON.parse(stdout)).toEqual({ kind, name: "thing.example.com", uuid: one });
  },
);
