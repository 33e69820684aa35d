import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aContext, fakeRunner, noSignal } from "../../test/a-context.js";
import { readAddresses } from "./addresses.js";
import { powercycleCalls } from "./calls.js";
import { masterAddressCalls } from "./master-address.js";
import { membershipCalls } from "./membership-calls.js";

const master = {
  ...{ uuid: "A", ip: "192.0.2.200", netdev: "eth0", netmask: 24 },
  ...({ family: 4, externalScript: false } as const),
};
const shown =
  "2: eth0    inet 192.0.2.200/24 scope global secondary eth0:0\\       valid_lft forever\n";

test("addresses of both families are read from the list of interfaces", () => {
  const text = `1: lo    inet 127.0.0.1/8 scope host lo\n${shown}3: tun0    inet 10.0.0.1 peer 10.0.0.2/32 scope global tun0\n2: eth0    inet6 2001:db8::1/64 scope global\n`;
  expect(readAddresses(text)).toEqual([
    { device: "lo", address: "127.0.0.1", netmask: 8 },
    { device: "eth0", address: "192.0.2.200", netmask: 24 },
    { device: "tun0", address: "10.0.0.1", netmask: 32 },
    { device: "eth0", address: "2001:db8::1", netmask: 64 },
  ]);
});

describe("the master's address", () => {
  function open(stdout: string, pings: boolean) {
    const { run, lines } = fakeRunner(({ program, args }) => {
      if (program === "ping") return { code: pings ? 0 : 1 };
      return args[0] === "-o" ? { stdout } : undefined;
    });
    const context = aContext({ run });
    context.write("var/lib/ganeti/ssconf_cluster_name", "cluster.example.com\n");
    context.write("var/lib/ganeti/ssconf_master_node", "node1.example.com\n");
    return { ...masterAddressCalls(context), context, lines };
  }

  test("is added to the interface and announced", async () => {
    const { node_activate_master_ip, lines } = open("", false);
    await node_activate_master_ip(master, noSignal);
    expect(lines().slice(1)).toEqual([
      "ping -4 -c 1 -W 1 192.0.2.200",
      "ip address add 192.0.2.200/24 dev eth0 label eth0:0",
      "arping -q -U -c 3 -I eth0 192.0.2.200",
    ]);
  });

  test("is not added while another machine answers at it", async () => {
    const { node_activate_master_ip, lines } = open("", true);
    await expect(node_activate_master_ip(master, noSignal)).rejects.toThrow(
      "Failed to start the master IP. Script return value: 1, output: 'Error: master IP address configured on another machine.'",
    );
    expect(lines().join("\n")).not.toContain("address add");
  });

  test("is removed with the netmask that it has, and not from another interface", async () => {
    const { node_deactivate_master_ip, lines } = open(shown, false);
    await node_deactivate_master_ip({ ...master, netmask: 16 }, noSignal);
    expect(lines().at(-1)).toBe("ip address del 192.0.2.200/24 dev eth0");
    const elsewhere = node_deactivate_master_ip({ ...master, netdev: "eth1" }, noSignal);
    await expect(elsewhere).rejects.toThrow("configured on eth0");
  });

  test("cannot get another netmask while it is down", async () => {
    const { node_change_master_netmask } = open("", false);
    const change = { oldNetmask: 24, netmask: 25, ip: master.ip, netdev: "eth0" };
    await expect(node_change_master_netmask(change, noSignal)).rejects.toThrow(
      "The master IP address is not up, not attempting to change its netmask",
    );
  });

  test("is handled by the administrator's script, which gets four variables and no others", async () => {
    const context = aContext();
    context.write("var/lib/ganeti/ssconf_cluster_name", "cluster.example.com\n");
    context.write("var/lib/ganeti/ssconf_master_node", "node1.example.com\n");
    const script = "#!/bin/sh\n/usr/bin/env | /usr/bin/sort | /usr/bin/tr '\\n' ' '; exit 4\n";
    context.write("etc/ganeti/scripts/master-ip-setup", script, 0o755);
    const call = masterAddressCalls(context).node_activate_master_ip(
      { ...master, externalScript: true },
      noSignal,
    );
    await expect(call).rejects.toThrow(
      /value: 4, output: 'CLUSTER_IP_VERSION=4 MASTER_IP=192.0.2.200 MASTER_NETDEV=eth0 MASTER_NETMASK=24 (PWD=\S+ )?(SHLVL=\d )?(_=\S+ )?'/,
    );
  });

  test("a failing hook of the first phase keeps it down", async () => {
    const context = aContext();
    context.write("var/lib/ganeti/ssconf_cluster_name", "cluster.example.com\n");
    context.write("var/lib/ganeti/ssconf_master_node", "node1.example.com\n");
    const hook = "#!/bin/sh\necho $GANETI_OP_CODE $GANETI_MASTER_IP; exit 1\n";
    context.write("etc/ganeti/hooks/master-ip-turnup-pre.d/check", hook, 0o755);
    const call = masterAddressCalls(context).node_activate_master_ip(master, noSignal);
    await expect(call).rejects.toThrow(
      "Hooks of master-ip-turnup failed: master-ip-turnup-pre.d/check: OP_CLUSTER_IP_TURNUP 192.0.2.200",
    );
  });
});

describe("a node that is demoted", () => {
  test("keeps a copy of the configuration in the same folder", async () => {
    const context = aContext();
    context.write("var/lib/ganeti/ssconf_master_node", "node2.example.com\n");
    context.write("var/lib/ganeti/config.data", "{}");
    const { node_demote_from_mc } = membershipCalls(context, () => {});
    expect(await node_demote_from_mc({}, noSignal)).toBeUndefined();
    const files = readdirSync(context.paths.data).filter((name) => name.startsWith("config"));
    expect(files).toEqual([expect.stringMatching(/^config\.data\.backup-\d{4}-.*\.[0-9a-f]{8}$/)]);
    expect(await node_demote_from_mc({}, noSignal)).toBeUndefined();
  });

  test("must not be the master", async () => {
    const context = aContext();
    context.write("var/lib/ganeti/ssconf_master_node", "node1.example.com\n");
    context.write("var/lib/ganeti/config.data", "{}");
    const call = membershipCalls(context, () => {}).node_demote_from_mc({}, noSignal);
    await expect(call).rejects.toThrow("I'm the master node, will not demote");
    expect(existsSync(join(context.paths.data, "config.data"))).toBe(true);
  });
});

test("a node that leaves removes its files but neither links nor directories, and ends its daemon", async () => {
  const context = aContext();
  context.write("var/lib/ganeti/hmac.key", "secret");
  context.write("var/lib/ganeti/queue/job-1", "{}");
  context.write("var/lib/ganeti/queue/archive/0/job-0", "{}");
  context.write("var/lib/ganeti/rapi/users", "");
  context.write("root/.ssh/id_rsa", "private");
  context.write("root/.ssh/id_rsa.pub", "ssh-rsa AAAA root@node1\n");
  context.write("root/.ssh/authorized_keys", "ssh-rsa AAAA other\nssh-rsa BBBB\n");
  mkdirSync(context.paths.crypto, { recursive: true });
  symlinkSync("/dev/null", join(context.paths.data, "link"));
  let left = 0;
  const { node_leave_cluster } = membershipCalls(context, () => left++);
  await node_leave_cluster({ modifySshSetup: true }, noSignal);
  expect(left).toBe(1);
  expect(readdirSync(context.paths.data).sort()).toEqual(["link", "queue", "rapi"]);
  const queue = join(context.paths.data, "queue");
  expect(readdirSync(queue, { recursive: true })).toEqual(["archive"]);
  expect(readdirSync(join(context.root, "root/.ssh"))).toEqual(["authorized_keys"]);
  expect(readFileSync(join(context.root, "root/.ssh/authorized_keys"), "utf8")).toBe(
    "ssh-rsa BBBB\n",
  );
});

test("the names of Open vSwitch interfaces cannot be options", async () => {
  const { run, lines } = fakeRunner(() => ({ code: 1, stderr: "no database" }));
  const { node_configure_ovs } = membershipCalls(aContext({ run }), () => {});
  const call = (name: string, link: string | null) => node_configure_ovs({ name, link }, noSignal);
  await expect(call("--db=tcp:1.2.3.4", null)).rejects.toThrow("Invalid name");
  expect(lines()).toEqual([]);
  await expect(call("switch1", "eth1")).rejects.toThrow(
    "Failed to create openvswitch. Script return value: 1, output: 'no database'",
  );
  expect(lines()).toEqual(["ovs-vsctl --may-exist add-br switch1"]);
});

test("only the virtual machine daemon can be controlled", async () => {
  const { node_ensure_daemon } = membershipCalls(aContext(), () => {});
  expect(await node_ensure_daemon({ daemon: "ganeti-kvmd", run: true }, noSignal)).toBeUndefined();
  const other = node_ensure_daemon({ daemon: "ganeti-rapi", run: true }, noSignal);
  await expect(other).rejects.toThrow("'ganeti-rapi' cannot be controlled");
});

describe("a power cycle", () => {
  const timers = () => {
    const due: { delayMs: number; then: () => void }[] = [];
    const after = (delayMs: number, then: () => void) => {
      due.push({ delayMs, then });
      return () => {};
    };
    return { due, clock: { now: () => 0, wallMicros: () => 0, after } };
  };
  const hypervisor = { name: "kvm", hvparams: {} };

  test("is answered before the trigger is written five seconds later", async () => {
    const { due, clock } = timers();
    const context = aContext({ clock });
    const file = context.write("sysrq-trigger", "");
    const { node_powercycle } = powercycleCalls(context, openSync(file, "w"));
    expect(await node_powercycle(hypervisor, noSignal)).toBe("Reboot scheduled in 5 seconds");
    expect([due[0]?.delayMs, readFileSync(file, "utf8")]).toEqual([5000, ""]);
    due[0]?.then();
    expect(readFileSync(file, "utf8")).toBe("b");
  });

  test("falls back to the program reboot if the trigger cannot be written", async () => {
    const { due, clock } = timers();
    const { run, lines } = fakeRunner();
    const context = aContext({ clock, run });
    // Opened for reading only, so that writes fail.
    const trigger = openSync(context.write("sysrq-trigger", ""), "r");
    await powercycleCalls(context, trigger).node_powercycle(hypervisor, noSignal);
    due[0]?.then();
    expect(lines()).toEqual(["reboot -n -f"]);
  });

  test("is refused without a trigger, as on a virtual node", async () => {
    const { node_powercycle } = powercycleCalls(aContext(), null);
    await expect(node_powercycle(hypervisor, noSignal)).rejects.toThrow("cannot reboot");
  });
});
