import { expect, test } from "vitest";
import { noProxies, remoteOf, trustedProxies } from "./remote.js";

const proxies = trustedProxies("192.0.2.1, 10.0.0.0/8,2001:db8::/32");

test.each([
  { why: "without a header it is the socket's", socket: "192.0.2.1", is: "192.0.2.1" },
  {
    why: "the header of others is not read",
    socket: "192.0.2.2",
    header: "198.51.100.1",
    is: "192.0.2.2",
  },
  {
    why: "a proxy names its client",
    socket: "192.0.2.1",
    header: "198.51.100.1",
    is: "198.51.100.1",
  },
  {
    why: "as IPv4 on an IPv6 socket",
    socket: "::ffff:192.0.2.1",
    header: "198.51.100.1",
    is: "198.51.100.1",
  },
  {
    why: "what the client sent itself stands before",
    socket: "192.0.2.1",
    header: "203.0.113.9, 198.51.100.1",
    is: "198.51.100.1",
  },
  {
    why: "a chain of proxies is followed",
    socket: "2001:db8::1",
    header: "203.0.113.9,198.51.100.1, 10.1.2.3",
    is: "198.51.100.1",
  },
  {
    why: "ports are left out",
    socket: "10.0.0.1",
    header: "[2001:dead::5]:1234",
    is: "2001:dead::5",
  },
  { why: "of IPv4 too", socket: "10.0.0.1", header: "198.51.100.1:80", is: "198.51.100.1" },
  {
    why: "an unreadable entry ends it at the proxy",
    socket: "10.0.0.1",
    header: "1.2.3.4,x",
    is: "10.0.0.1",
  },
  { why: "all of them proxies", socket: "10.0.0.1", header: "10.0.0.2", is: "10.0.0.2" },
  { why: "no socket", socket: undefined, header: "198.51.100.1", is: "unknown" },
])("address of a client: $why", ({ socket, header, is }) => {
  expect(remoteOf(socket, header, proxies).address).toBe(is);
});

test("clients of one IPv6 network share their limits, and without proxies no header is believed", () => {
  expect(remoteOf("2001:dead:0:1::5%eth0", undefined, proxies)).toEqual({
    address: "2001:dead:0:1::5",
    client: "2001:dead:0:1::/64",
  });
  expect(remoteOf("192.0.2.1", "198.51.100.1", noProxies).client).toBe("192.0.2.1");
});

test.each([
  "",
  "x",
  "192.0.2.1/33",
  "192.0.2.1/",
  "192.0.2.1/8/8",
  "2001:db8::/129",
  "192.0.2.1,,",
])("'%s' is no list of proxies", (list) => {
  expect(() => trustedProxies(list)).toThrow(/'.*' is neither an address nor a network/);
});
