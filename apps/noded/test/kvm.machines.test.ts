// Instances under QEMU without acceleration: its firmware runs, which is enough for all that the daemon does with it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withQmp } from "../src/hypervisor/kvm/qmp.js";
import {
  machine,
  machinesUnavailable,
  type Namespace,
  namespace,
  type TestNode,
  testNode,
} from "./machine-namespace.js";

const problem = machinesUnavailable();
if (problem !== undefined) console.warn(`SKIPPED: ${problem}`);

const never = new AbortController().signal;
const bridged = { mode: "bridged", link: "br0", vlan: "" };
const nic = (uuid: string) => ({ uuid, mac: "aa:00:00:11:22:33", nicparams: bridged });

describe.skipIf(problem !== undefined)("an instance under QEMU", () => {
  let space: Namespace;
  let node: TestNode;
  beforeEach(() => {
    space = namespace();
    space.run("ip", "link", "add", "br0", "type", "bridge");
    space.run("ip", "link", "set", "br0", "mtu", "1450", "up");
    node = testNode(space);
  });
  afterEach(() => {
    node.close();
    space.close();
  });

  const names = (on = node) =>
    on.calls.instance_list({ hypervisors: [{ name: "kvm", hvparams: {} }] }, never);
  const start = (instance = machine(), on = node) =>
    on.calls.instance_start({ instance, startupPaused: false, reason: [] }, never);
  const status = (name: string, on = node) =>
    withQmp(on.files.of(name).qmp, (qmp) => qmp.execute("query-status"));
  const stop = (instance = machine(), timeoutSeconds = 0) =>
    node.calls.instance_shutdown({ instance, timeoutSeconds, reason: [] }, never);

  test("runs from its start to its shutdown with disk and NIC, and nothing of it is left", async () => {
    const instance = machine({
      disks: [node.disk("a"), node.disk("b")],
      nics: [nic("99999999-8888-7777-6666-555555555555")],
    });
    const begun = performance.now();
    await start(instance);
    console.log(`instance_start: ${Math.round(performance.now() - begun)} ms`);
    expect(await names()).toEqual([instance.name]);
    expect(await status(instance.name)).toMatchObject({ status: "running" });
    const asked = { name: instance.name, hypervisor: { name: "kvm", hvparams: {} } };
    expect(await node.calls.instance_info(asked, never)).toMatchObject({ memoryMib: 64, vcpus: 1 });
    const tap = readFileSync(join(node.files.of(instance.name).nics, "0"), "utf8");
    const link = space.run("ip", "-o", "link", "show", "dev", tap);
    expect(link).toMatch(/mtu 1450 .* master br0 .* fe:00:00:11:22:33 /);
    await start(instance);
    await stop(instance);
    expect(await names()).toEqual([]);
    expect(space.run("ip", "-o", "link", "show")).not.toContain(tap);
    const own = node.files.of(instance.name);
    for (const path of [own.pid, own.runtime, own.qmp, own.monitor, own.nics, own.watch]) {
      expect(existsSync(path), path).toBe(false);
    }
    expect(existsSync(join(node.context.paths.run, "instance-disks", `${instance.name}:0`))).toBe(
      false,
    );
  });
});
