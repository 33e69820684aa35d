// The script that connects interfaces, run in a network namespace of the test.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { configureInterface, interfaceVariables } from "../src/network/interface-script.js";
import { taps } from "../src/network/taps.js";
import {
  describeMachines,
  machine,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

describeMachines("an interface of an instance", () => {
  let space: Namespace;
  let node: TestNode;
  let tap: string;
  beforeEach(async () => {
    space = namespace();
    node = testNode(space);
    tap = await taps(node.context).make({
      ...{ instance: "web", nicName: null, queues: 1 },
      note: async () => {},
    });
  });

  const connect = (nicparams: object, more: object = {}) => {
    const nic = { uuid: "u", mac: "aa:00:00:11:22:33", nicparams: { ...nicparams }, ...more };
    return configureInterface(node.context, interfaceVariables(machine(), nic, 0, tap));
  };
  const ip = (...words: string[]) => space.run("ip", ...words);

  const bridged = { mode: "bridged", link: "br0", vlan: "" };
  const addressOf = (name: string): string =>
    / link\/ether (\S+)/.exec(ip("-o", "link", "show", "dev", name))?.[1] ?? "";

  test("joins its bridge with a high address and the bridge's MTU", async () => {
    ip("link", "add", "br0", "type", "bridge");
    ip("link", "set", "br0", "mtu", "1400", "up");
    const own = addressOf(tap);
    await connect(bridged);
    expect(ip("-o", "link", "show", "dev", tap)).toMatch(/<.*UP.*mtu 1400 .* master br0 /);
    // Not the NIC's own address, which is the same on the source and the target of a migration.
    expect(addressOf(tap)).toBe(`fe:${own.slice("00:".length)}`);
  });

  test("on the target of a migration does not cut off the source, whatever the MAC addresses of their uplinks", async () => {
    const source = namespace();
    const there = testNode(source);
    ip("link", "add", "up0", "type", "veth", "peer", "name", "up0", "netns", source.name);
    // A bridge takes the lowest MAC address of its interfaces, here that of the tap.
    for (const [{ run }, uplink, address] of [
      [source, "02:00:00:00:00:01", "192.0.2.1/24"],
      [space, "fe:ff:ff:ff:ff:02", "192.0.2.2/24"],
    ] as const) {
      run("ip", "link", "add", "br0", "type", "bridge");
      run("ip", "link", "set", "br0", "up");
      run("ip", "link", "set", "up0", "address", uplink, "master", "br0", "up");
      run("ip", "addr", "add", address, "dev", "br0");
    }
    const wish = { instance: "web", nicName: null, queues: 1 };
    const other = await taps(there.context).make({ ...wish, note: async () => {} });
    const nic = { uuid: "u", mac: "aa:00:00:11:22:33", nicparams: bridged };
    await configureInterface(there.context, interfaceVariables(machine(), nic, 0, other));
    await connect(bridged);
    expect(addressOf("br0")).toBe(addressOf(tap));
    expect(source.run("ping", "-c", "1", "-W", "10", "192.0.2.2")).toContain(" 1 received");
  });

  test("is refused a VLAN by a bridge that does not filter", async () => {
    ip("link", "add", "br0", "type", "bridge");
    await expect(connect({ mode: "bridged", link: "br0", vlan: ".10" })).rejects.toThrow(
      /Failed to configure interface tap0: exited with exit code 1; network configuration script output: Instance web.example.com NIC 0 configured for VLAN support, but bridge br0 has VLAN filtering disabled/,
    );
  });

  test("leaves no rule behind when it is removed", async () => {
    await connect({ mode: "routed", link: "100", vlan: "" }, { ip: "192.0.2.50" });
    ip("rule", "add", "dev", "tap7", "table", "100");
    await taps(node.context).remove(tap, "web");
    expect(ip("rule").match(/iif \S+/g)).toEqual(["iif tap7"]);
  });

  test("when routed, has a route to its address in the table named by its link, and answers for neighbours", async () => {
    await connect({ mode: "routed", link: "100", vlan: "" }, { ip: "192.0.2.50" });
    await connect({ mode: "routed", link: "100", vlan: "" }, { ip: "192.0.2.50" });
    expect(ip("rule").match(new RegExp(`iif ${tap} lookup 100`, "g"))).toHaveLength(1);
    expect(ip("route", "show", "table", "100")).toMatch(`192.0.2.50 dev ${tap} proto static`);
    for (const setting of ["proxy_arp", "forwarding"]) {
      expect(space.run("cat", `/proc/sys/net/ipv4/conf/${tap}/${setting}`)).toBe("1\n");
    }
    await connect({ mode: "routed", link: "" }, { ip: "192.0.2.51" });
    expect(ip("rule")).not.toContain(tap);
    expect(ip("route")).toMatch(`192.0.2.51 dev ${tap} proto static`);
  });

  test.each([
    [{ mode: "routed", link: "" }, "Routed NIC but no IP address specified"],
    [{ mode: "bridged", link: "missing0" }, "missing0"],
    [{ mode: "tunnel" }, "MODE 'tunnel' is not known"],
    [{}, "MODE not specified"],
  ])("with %j is refused: %s", async (nicparams, text) => {
    await expect(connect(nicparams)).rejects.toThrow(text);
  });

  test("joins a switch by ovs-vsctl, with access and trunk VLANs", async () => {
    const programs = mkdtempSync(join(tmpdir(), "programs-"));
    const log = join(programs, "log");
    writeFileSync(
      join(programs, "ovs-vsctl"),
      `#!/bin/sh\necho "$*" >>${log}\n[ $1 != del-port ]\n`,
    );
    chmodSync(join(programs, "ovs-vsctl"), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${programs}:${path}`;
    try {
      await connect({ mode: "openvswitch", link: "sw0", vlan: ".10:20:30" });
    } finally {
      process.env.PATH = path;
    }
    expect(readFileSync(log, "utf8")).toBe(
      `del-port ${tap}\nadd-port sw0 ${tap}\nset port ${tap} tag=10\nset port ${tap} trunks=20,30\n`,
    );
    rmSync(programs, { recursive: true });
  });

  test("is left to the administrator's kvm-vif-bridge, which gets names without interpretation by a shell", async () => {
    const script = join(node.context.paths.conf, "kvm-vif-bridge");
    const seen = join(node.context.paths.conf, "seen");
    writeFileSync(script, `#!/bin/sh\nenv >${seen}\n`);
    chmodSync(script, 0o755);
    const name = "$(touch /tmp/never);`id`";
    const netinfo = { name: "net", uuid: "n", network: "192.0.2.0/24", tags: ["a", "b"] };
    await connect({ mode: "bridged", link: name, vlan: "" }, { name, netinfo, ip: "192.0.2.9" });
    const variables = readFileSync(seen, "utf8").split("\n");
    for (const line of [
      ...[`LINK=${name}`, `BRIDGE=${name}`, `INTERFACE_NAME=${name}`, `INTERFACE=${tap}`],
      ...["MODE=bridged", "VLAN=", "IP=192.0.2.9", "NETWORK_NAME=net", "NETWORK_TAGS=a b"],
      ...["NETWORK_SUBNET=192.0.2.0/24", "INSTANCE=web.example.com", "INTERFACE_INDEX=0"],
    ]) {
      expect(variables).toContain(line);
    }
    expect(variables.some((line) => line.startsWith("NETWORK_GATEWAY"))).toBe(false);
  });

  test("is removed only for the instance that it was made for", async () => {
    await taps(node.context).remove(tap, "we");
    await taps(node.context).remove(tap, "mail");
    await taps(node.context).remove("missing0", "web");
    expect(ip("-o", "link", "show")).toContain(tap);
    await taps(node.context).remove(tap, "web");
    expect(ip("-o", "link", "show")).not.toContain(tap);
  });

  test("has a name of its own among several that are made at once", async () => {
    const wish = {
      instance: "web",
      nicName: null,
      queues: 2,
      note: async () => {},
    };
    const { make } = taps(node.context);
    const made = await Promise.all([1, 2, 3].map(() => make(wish)));
    expect(new Set(made).size).toBe(3);
    expect(execFileSync("ip", ["-n", space.name, "tuntap", "show"], { encoding: "utf8" })).toMatch(
      /multi_queue/,
    );
  });
});
