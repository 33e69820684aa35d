import { addressMap } from "@ganeti-ts/config";
import { expect, test } from "vitest";
import { busyCluster } from "./busy-cluster.js";

const add = { OP_ID: "OP_NETWORK_ADD", network_name: "n", network: "192.0.2.0/28" };

test("a new network reserves its first and last address, its gateway, and the addresses of nodes and master", async () => {
  const { try: run, config } = await busyCluster({}, { master_ip: "192.0.2.9" });
  expect(await run({ ...add, gateway: "192.0.2.14", tags: ["b", "a", "b"] })).toEqual({
    status: "success",
    result: null,
    log: [
      ...[1, 2, 3, 4].map(
        (n) => ` - INFO: Reserved IP address of node 'node${n}.example.com' (192.0.2.${n})`,
      ),
      " - INFO: Reserved cluster master IP address (192.0.2.9)",
    ].toSorted((a, b) => orderOf(a, config) - orderOf(b, config)),
  });
  const network = config.snapshot.expectNetwork("n");
  expect(addressMap(network)).toBe("XXXXX....X....XX");
  expect(network.tags).toEqual(["a", "b"]);
});

/** Positions in order of node UUIDs, the master's address last. */
function orderOf(line: string, config: { snapshot: { nodes(): Iterable<{ name: string }> } }) {
  const names = Array.from(config.snapshot.nodes(), ({ name }) => name);
  const at = names.findIndex((name) => line.includes(name));
  return at < 0 ? 99 : at;
}

test("without the conflict check a network reserves only its own addresses", async () => {
  const { try: run, config } = await busyCluster();
  await run({ ...add, conflicts_check: false, add_reserved_ips: ["192.0.2.5"] });
  expect(addressMap(config.snapshot.expectNetwork("n"))).toBe("X....X.........X");
});

test("a dry run of adding a network changes nothing", async () => {
  const { try: run, config } = await busyCluster();
  expect(await run({ ...add, dry_run: true })).toMatchObject({ status: "success" });
  expect(config.snapshot.findNetwork("n")).toBeUndefined();
});

test("another gateway releases the old one's address", async () => {
  const { try: run, config } = await busyCluster();
  await run({ OP_ID: "OP_NETWORK_SET_PARAMS", network_name: "net1", gateway: "10.1.0.7" });
  const network = config.snapshot.expectNetwork("net1");
  expect(network.gateway).toBe("10.1.0.7");
  expect(addressMap(network)).toBe("X...X..X.......X");
});

test("addresses that cannot be reserved or released cause warnings, and the others are changed", async () => {
  const { try: run, config } = await busyCluster();
  const change = {
    OP_ID: "OP_NETWORK_SET_PARAMS",
    network_name: "net1",
    mac_prefix: "AA:BB:CC",
    add_reserved_ips: ["10.1.0.0", "10.1.0.8"],
    remove_reserved_ips: ["10.1.0.1", "10.1.0.9"],
  };
  expect((await run(change)).log).toEqual([
    " - WARNING: Cannot reserve IP address 10.1.0.0: IP 10.1.0.0 is already externally reserved",
    " - WARNING: Cannot unreserve Gateway's IP",
    " - WARNING: Cannot release IP address 10.1.0.9: IP 10.1.0.9 is not externally reserved",
  ]);
  const network = config.snapshot.expectNetwork("net1");
  expect(network.mac_prefix).toBe("aa:bb:cc");
  expect(network.ext_reservations[8]).toBe("1");
});

test("connecting a network twice changes nothing the second time, and it can be disconnected", async () => {
  const { try: run, config } = await busyCluster();
  const where = { network_name: "net2", group_name: "default" };
  const how = { network_mode: "bridged", network_link: "br9", network_vlan: "" };
  expect(await run({ OP_ID: "OP_NETWORK_CONNECT", ...where, ...how })).toMatchObject({
    result: null,
  });
  const { uuid } = config.snapshot.expectNetwork("net2");
  expect(config.snapshot.expectGroup("default").networks[uuid]).toEqual({
    mode: "bridged",
    link: "br9",
    vlan: "",
  });
  expect((await run({ OP_ID: "OP_NETWORK_CONNECT", ...where, ...how })).log).toEqual([
    " - WARNING: Network 'net2' is already mapped to group 'default'",
  ]);
  await run({ OP_ID: "OP_NETWORK_DISCONNECT", ...where });
  expect(config.snapshot.expectGroup("default").networks[uuid]).toBeUndefined();
  expect((await run({ OP_ID: "OP_NETWORK_DISCONNECT", ...where })).log).toEqual([
    " - WARNING: Network 'net2' is not mapped to group 'default'",
  ]);
});

test("a network is renamed and, once disconnected, removed", async () => {
  const { try: run, config } = await busyCluster();
  expect(
    await run({ OP_ID: "OP_NETWORK_RENAME", network_name: "net2", new_name: "other" }),
  ).toMatchObject({ result: "other" });
  await run({ OP_ID: "OP_NETWORK_REMOVE", network_name: "other" });
  expect(config.snapshot.networkCount).toBe(1);
});
