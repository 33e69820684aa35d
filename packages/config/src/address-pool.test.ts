import { type NetworkObject, NetworkUuid } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addressCounts,
  addressMap,
  externalAddresses,
  newAddressPool,
  nextFreeAddress,
  releaseAddress,
  reserveAddress,
} from "./address-pool.js";
import { isIpAddress, isIpv4 } from "./ip-address.js";

const aNetwork = (network = "192.0.2.0/29", gateway?: string): NetworkObject => ({
  uuid: NetworkUuid.parse("u"),
  name: "net",
  network,
  tags: [],
  ...newAddressPool(network, gateway),
});

test("a new network keeps its own address, its broadcast address and its gateway", () => {
  const network = aNetwork("192.0.2.0/29", "192.0.2.1");
  expect(addressMap(network)).toBe("XX.....X");
  expect(externalAddresses(network)).toEqual(["192.0.2.0", "192.0.2.1", "192.0.2.7"]);
  expect(nextFreeAddress(network)).toBe("192.0.2.2");
  expect(addressCounts(network)).toEqual({ reserved: 3, free: 5 });
});

test.each([
  [
    "10.0.0.0/15",
    "A big network with 131072 host(s) is currently not supported. please specify at most a /16 network",
  ],
  [
    "10.0.0.0/31",
    "A network with only 2 host(s) is too small, please specify at least a /30 network",
  ],
  ["10.0.0.1/24", "Invalid network '10.0.0.1/24'"],
  ["10.0.0/24", "Invalid network '10.0.0/24'"],
])("%s is refused", (network, message) => expect(() => newAddressPool(network)).toThrow(message));

test("what is taken cannot be taken, and what is free cannot be given back", () => {
  const network = aNetwork();
  const taken = reserveAddress(network, "192.0.2.3");
  expect(() => reserveAddress(taken, "192.0.2.3")).toThrow(
    "IP 192.0.2.3 is already used by an instance",
  );
  expect(() => releaseAddress(network, "192.0.2.3")).toThrow(
    "IP 192.0.2.3 is not used by an instance",
  );
  expect(() => reserveAddress(network, "192.0.2.7", "external")).toThrow(
    "IP 192.0.2.7 is already externally reserved",
  );
  expect(() => releaseAddress(network, "192.0.2.3", "external")).toThrow(
    "IP 192.0.2.3 is not externally reserved",
  );
  expect(() => reserveAddress(network, "192.0.3.1")).toThrow(
    "192.0.2.0/29 does not contain 192.0.3.1",
  );
});

test("free addresses are given lowest first until the network is full", () => {
  let network = aNetwork("192.0.2.8/30");
  const given: string[] = [];
  for (let i = 0; i < 2; i++) {
    given.push(nextFreeAddress(network));
    network = reserveAddress(network, given.at(-1) as string);
  }
  expect(given).toEqual(["192.0.2.9", "192.0.2.10"]);
  expect(() => nextFreeAddress(network)).toThrow("192.0.2.8/30 is full");
});

test("an address that is taken and given back leaves the network as it was", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7 }), fc.boolean(), (at, isExternal) => {
      const keeper = isExternal ? "external" : "instances";
      const network = { ...aNetwork(), ext_reservations: "00000000" };
      const address = `192.0.2.${at}`;
      expect(releaseAddress(reserveAddress(network, address, keeper), address, keeper)).toEqual(
        network,
      );
    }),
  );
});

test.each([
  ["192.0.2.1", true, true],
  ["192.0.2.256", false, false],
  ["192.0.02.1", false, false],
  ["2001:db8::1", false, true],
  ["::", false, true],
  ["::ffff:192.0.2.1", false, true],
  ["1:2:3:4:5:6:7", false, false],
  ["1::2::3", false, false],
  ["", false, false],
])("'%s': IPv4 %s, address %s", (text, isFour, isAny) => {
  expect([isIpv4(text), isIpAddress(text)]).toEqual([isFour, isAny]);
});
