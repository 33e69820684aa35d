// The laws of node back ends through client, TLS on loopback, server and simulated nodes.
import type { NodeBackend } from "@ganeti-ts/node-calls";
import { nodeCalls } from "@ganeti-ts/node-calls/catalog";
import { describeNodeBackend, type NodeStage } from "@ganeti-ts/node-calls/conformance";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { describe, expect, test } from "vitest";
import { createNodeRpcClient } from "../src/index.js";
import { certificates, serve } from "./loopback.js";
import { members, simulation, thingsOfStage } from "./simulated-stage.js";

/** Calls that the client has sent and the nodes have not received yet. */
class Travellers {
  count = 0;

  leaving = (nodes: NodeBackend): NodeBackend => ({
    introduce: (node) => nodes.introduce(node),
    call: (...call) => {
      this.count++;
      return nodes.call(...call);
    },
  });

  arriving = (nodes: NodeBackend): NodeBackend => ({
    introduce: (node) => nodes.introduce(node),
    call: (...call) => {
      this.count--;
      return nodes.call(...call);
    },
  });
}

const made = new Set<string>();

async function open(): Promise<NodeStage> {
  const clock = new VirtualClock();
  const simulated = await simulation(clock);
  const travellers = new Travellers();
  const arriving = travellers.arriving(simulated);
  const servers = await Promise.all(
    members.map(({ uuid }) => serve(arriving, uuid, { virtualPaths: true })),
  );
  const ports = Object.fromEntries(members.map(({ uuid }, at) => [uuid, servers[at]?.port ?? 0]));
  const client = createNodeRpcClient({ ...certificates, ports, virtualPaths: true });
  for (const member of members) await client.introduce({ ...member, primaryIp: "127.0.0.1" });
  return {
    nodes: travellers.leaving(client),
    members,
    ...thingsOfStage,
    setReadOnly: (node, name, readOnly) =>
      simulated.setReadOnly(members[node]?.uuid ?? "", ["xenvg", name], readOnly),
    async pass(milliseconds) {
      while (travellers.count > 0) await new Promise(setImmediate);
      await clock.pass(milliseconds);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

describeNodeBackend(
  "the client of a server",
  { open, lacks: ["fence"], onCall: (name) => made.add(name) },
  { describe, test },
);

// Runs after the laws, because tests run in the order of declaration.
test("the laws make every call of the catalog", () => {
  expect(Object.keys(nodeCalls).filter((name) => !made.has(name))).toEqual([]);
});
