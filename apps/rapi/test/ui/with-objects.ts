/** Networks and filter rules for tests of the page. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { done, dummyFor } from "../instances.js";
import type { TestServer } from "../served.js";

/** The network `backend`, 198.51.100.0/24 with IPv6, connected to the group `default`. */
export async function withNetwork(server: TestServer, more: JsonObject = {}): Promise<void> {
  const name = more.network_name ?? "backend";
  await done(server, {
    ...{ OP_ID: "OP_NETWORK_ADD", network_name: "backend", network: "198.51.100.0/24" },
    ...{ gateway: "198.51.100.1", network6: "2001:db8::/64", gateway6: "2001:db8::1" },
    ...{ add_reserved_ips: ["198.51.100.20", "198.51.100.21"], tags: ["prod"], ...more },
  });
  await done(server, {
    ...{ OP_ID: "OP_NETWORK_CONNECT", network_name: name, group_name: "default" },
    ...{ network_mode: "bridged", network_link: "xen-br0" },
  });
}

export const dummy = (text = "night work"): JsonObject => dummyFor(text);
export const isDummy = ["opcode", ["==", "OP_ID", "OP_TEST_DUMMY"]] as const;

/** Four rules, of which the second holds three jobs; gives the rules' UUIDs in their order. */
export async function withRules(server: TestServer): Promise<string[]> {
  const { queue } = server.world;
  const isAny = (name: string) => ["opcode", ["==", "OP_ID", name]];
  const bodies = [
    { priority: 0, predicates: [["reason", ["=~", "reason", "^urgent"]]], action: "ACCEPT" },
    { priority: 10, predicates: [isDummy], action: "PAUSE", reason: [["gnt:user", "backup", 1]] },
    { priority: 20, predicates: [isAny("OP_INSTANCE_REPLACE_DISKS")], action: ["RATE_LIMIT", 2] },
    { priority: 30, predicates: [isAny("OP_CLUSTER_DESTROY")], action: "REJECT" },
  ];
  const uuids: string[] = [];
  for (const body of bodies) uuids.push(await queue.addRule(body as never));
  for (const text of ["night work", "rate-limit:2:night", "rate-limit:2:night"]) {
    await queue.submit([dummy(text)]);
  }
  return uuids;
}
