// Calls about ssh keys of each operation, as Ganeti's master makes them; its recordings gave the data.
import { readFileSync } from "node:fs";
import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { type JsonObject, systemClock } from "@ganeti-ts/protocol";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { describe, expect, test } from "vitest";
import { testCluster } from "../support/cluster.js";
import { failed } from "../support/results.js";
import { type Answers, WatchedNodes } from "../support/watched-nodes.js";

interface Case {
  readonly operation: string;
  /** Nodes that are no candidates before. */
  readonly regular: readonly string[];
  /** Wanted number of candidates; 2 by default. */
  readonly pool?: number;
  readonly opcode: JsonObject;
  /** The master's calls, with arguments in the order of the wire. */
  readonly calls: readonly (readonly unknown[])[];
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL("ssh-key-calls.json", import.meta.url), "utf8"),
);

type Added = NodeCallArguments<"node_ssh_key_add">;
type Removed = NodeCallArguments<"node_ssh_key_remove">;

const host = { volumeGroups: { xenvg: { "/dev/sda": 1000 } } };
const short = (name: string) => name.replace(".example.com", "");

const sorted = (names: readonly string[]) => names.map(short).sort();

interface Options {
  readonly cluster?: NonNullable<Parameters<typeof testCluster>[1]>["cluster"];
  readonly answers?: Answers;
  readonly clearsFormerNodes?: boolean;
}

/** Three nodes of which node1 is the master. */
async function threeNodes(
  { regular, pool = 2 }: Pick<Case, "regular" | "pool">,
  { cluster = {}, answers = {}, clearsFormerNodes = false }: Options = {},
) {
  const simulated = await SimulatedNodes.open({
    clock: systemClock,
    hosts: [1, 2, 3].map((at) => ({ name: `node${at}.example.com`, ...host })),
    newHost: (name) => ({ name, ...host }),
  });
  const calls: unknown[][] = [];
  const nameOf = (uuid: string) => short(made.config.snapshot.expectNode(uuid).name);
  const watched = new WatchedNodes(simulated, {
    node_ssh_key_add: (node: string, args: Added, real: () => Promise<never>) => {
      const { name, potentialCandidates: all } = args;
      const flags = [args.toAuthorizedKeys, args.toPublicKeys, args.getPublicKeys];
      expect([nameOf(node), nameOf(args.uuid)]).toEqual(["node1", short(name)]);
      calls.push(["add", short(name), sorted(all), ...flags]);
      return real();
    },
    node_ssh_key_remove: (node: string, args: Removed, real: () => Promise<never>) => {
      const { name, candidates, potentialCandidates: all } = args;
      expect([nameOf(node), nameOf(args.uuid)]).toEqual(["node1", short(name)]);
      calls.push([
        ...["remove", short(name), sorted(candidates.map(nameOf)), sorted(all)],
        ...[args.fromAuthorizedKeys, args.fromPublicKeys],
        ...[args.clearAuthorizedKeys, args.clearPublicKeys, args.isReadded],
      ]);
      return real();
    },
    ...answers,
  });
  const nodes = {
    introduce: watched.introduce,
    call: watched.call,
    masterHost: (master: () => string) => ({ ...watched.masterHost(master), clearsFormerNodes }),
  };
  const made = await testCluster(nodes, {
    nodeCount: 3,
    cluster: { candidate_pool_size: pool, ...cluster },
  });
  const { snapshot } = made.config;
  await made.put(
    ...Array.from(snapshot.nodes(), (node) => {
      const object = { ...node, master_candidate: !regular.includes(short(node.name)) };
      return { kind: "put", type: "node", object } as const;
    }),
  );
  const keysOn = (at: number) => simulated.stateOf(made.nodes[at - 1] ?? "")?.sshKeys ?? [];
  return { ...made, calls, watched, keysOn };
}

describe.each(cases)("when $operation", ({ opcode, calls: expected, ...setting }) => {
  test("the master gets the calls that Ganeti makes", async () => {
    const { run, calls } = await threeNodes(setting);
    const { status, result } = await run(opcode);
    expect([status, JSON.stringify(result)]).toEqual([
      "success",
      expect.not.stringContaining("Error"),
    ]);
    expect(calls).toEqual(expected);
  });

  test("the master gets none in a cluster whose ssh setup Ganeti leaves alone", async () => {
    const { run, calls } = await threeNodes(setting, { cluster: { modify_ssh_setup: false } });
    expect((await run(opcode)).status).toBe("success");
    expect(calls).toEqual([]);
  });
});

const modify = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node3.example.com" };

test("the nodes accept a node as long as it is a candidate", async () => {
  const { run, keysOn } = await threeNodes({ regular: ["node3"] });
  const ofThird = (at: number) =>
    keysOn(at).filter((key) => key.endsWith(" root@node3.example.com"));
  expect([1, 2].map(ofThird)).toEqual([[], []]);
  await run({ ...modify, master_candidate: true });
  expect([1, 2].map((at) => ofThird(at).length)).toEqual([1, 1]);
  await run({ ...modify, master_candidate: false });
  expect([1, 2].map(ofThird)).toEqual([[], []]);
  await run({ ...modify, master_candidate: true });
  await run({ OP_ID: "OP_NODE_REMOVE", node_name: "node3.example.com" });
  expect([1, 2].map(ofThird)).toEqual([[], []]);
});

test("a machine that is cleared by ssh after it has left accepts the cluster's keys until then", async () => {
  const { run, calls } = await threeNodes({ regular: ["node3"] }, { clearsFormerNodes: true });
  await run({ OP_ID: "OP_NODE_REMOVE", node_name: "node3.example.com" });
  const flags = [true, true, false, true, false];
  expect(calls).toEqual([
    ["remove", "node3", ["node1", "node2"], ["node1", "node2", "node3"], ...flags],
  ]);
});

test("nodes that the master could not change are named in the log", async () => {
  const failures = [{ node: "node2.example.com", message: "no route" }];
  const answers = { node_ssh_key_remove: () => failures };
  const { run } = await threeNodes({ regular: [] }, { answers });
  expect(await run({ ...modify, master_candidate: false })).toMatchObject({
    status: "success",
    log: ["Some nodes' SSH key files could not be updated:", "node2.example.com: no route"],
  });
});

const refused = (): never => {
  throw new Error("no keys found");
};

test.each([
  {
    what: "a promotion",
    regular: ["node3"],
    opcode: { ...modify, master_candidate: true },
    text: "Could not update the SSH setup of node 'node3.example.com' after promotion (UUID: <uuid>).: no keys found",
  },
  {
    what: "a demotion",
    regular: [],
    opcode: { ...modify, master_candidate: false },
    text: "Could not adjust the SSH setup after demoting node 'node3.example.com' (UUID: <uuid>).: no keys found",
  },
  {
    what: "a removal",
    regular: [],
    opcode: { OP_ID: "OP_NODE_REMOVE", node_name: "node3.example.com" },
    text: "Could not remove the SSH key of node 'node3.example.com' (UUID: <uuid>).: no keys found",
  },
  {
    what: "adding a node again",
    regular: [],
    opcode: {
      ...{ OP_ID: "OP_NODE_ADD", node_name: "node3.example.com", primary_ip: "192.0.2.3" },
      ...{ readd: true, node_setup: true },
    },
    text: "Could not remove SSH keys of node node3.example.com before readding, (UUID: <uuid>).: no keys found",
  },
  {
    what: "adding a node",
    regular: [],
    opcode: { OP_ID: "OP_NODE_ADD", node_name: "node4.example.com", node_setup: true },
    text: "Could not update the node's SSH setup.: no keys found",
  },
])("$what fails if the master can change no keys", async ({ regular, opcode, text }) => {
  const answers = { node_ssh_key_add: refused, node_ssh_key_remove: refused };
  const { run, config, nodes } = await threeNodes({ regular }, { answers });
  const expected = text.replace("<uuid>", String(nodes[2]));
  expect((await run(opcode)).result).toEqual(failed(expected));
  // The check comes before a removal, and after all other changes.
  expect(config.snapshot.findNode("node3")).toBeDefined();
});

test("a node that is added without a set-up of its keys gets no calls about them", async () => {
  const { run, calls } = await threeNodes({ regular: [] });
  expect((await run({ OP_ID: "OP_NODE_ADD", node_name: "node4.example.com" })).status).toBe(
    "success",
  );
  expect(calls).toEqual([]);
});
