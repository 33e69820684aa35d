// Runtime files under KVM: each daemon reads those of the other one and takes over its instances.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { anInstance } from "@ganeti-ts/node-calls/conformance";
import {
  benchUnavailable,
  bringUp,
  type OwnDaemon,
  type ReferenceBench,
  type ReferenceNode,
  replaceNodeDaemon,
} from "@ganeti-ts/reference";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readRuntime } from "../../src/hypervisor/kvm/runtime.js";
import {
  aDisk,
  aNic,
  called,
  type Device,
  kvmParameters,
  qemu,
  runtimeOn,
  shutDown,
  start,
  wordsOf,
} from "./kvm-on-bench.js";

const problem = benchUnavailable() ?? (existsSync(qemu) ? undefined : `${qemu} is missing`);
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const program = fileURLToPath(new URL("../../dist/ganeti-ts-noded.js", import.meta.url));

/** Python program that prints everything Ganeti's own reader finds in a file. */
const theirReading = (path: string) => `
import json
from ganeti.hypervisor import hv_kvm
words, nics, hvparams, disks = hv_kvm._AnalyzeSerializedRuntime(open(${JSON.stringify(path)}).read())
print(json.dumps({
  "words": words,
  "nics": [nic.ToDict() for nic in nics],
  "hvparams": hvparams,
  "disks": [{"disk": disk.ToDict(), "link": link, "uri": uri} for disk, link, uri in disks],
}))`;

describe.skipIf(problem !== undefined)("an instance under KVM", () => {
  let bench: ReferenceBench;
  let node: ReferenceNode;
  let instance: InstanceOnNode;
  let disks: readonly [Device, Device, Device, Device];
  let ours: OwnDaemon | undefined;

  beforeAll(async () => {
    bench = await bringUp();
    node = bench.nodes[1] as ReferenceNode;
    const disk = (number: number) => aDisk(bench, `disk${number}`, number);
    disks = [await disk(1), await disk(2), await disk(3), await disk(4)];
    instance = anInstance({
      ...{ uuid: "0f0e0d0c-0000-4000-8000-00000000000a", name: "kvm1.example.com" },
      ...{ hypervisor: "kvm", network_port: 5999 },
      hvparams: { ...(await kvmParameters(bench)), vnc_bind_address: "127.0.0.1" },
      beparams: { minmem: 64, maxmem: 64, vcpus: 1, auto_balance: true, always_failover: false },
      disks: [disks[0], disks[1]],
      nics: [aNic(1), aNic(2)],
    });
  });
  afterAll(() => bench?.down());
  beforeEach(() => byGaneti());

  async function byUs(): Promise<void> {
    ours ??= await replaceNodeDaemon(bench, node, program);
  }

  async function byGaneti(): Promise<void> {
    if (ours === undefined) return;
    await ours.stop();
    ours = undefined;
    await bench.startDaemon(node, "ganeti-noded");
  }

  const read = async () => {
    const path = join(node.insideRoot, "var/run/ganeti/kvm-hypervisor/conf");
    const theirs = JSON.parse(
      await bench.python(theirReading(`${path}/${instance.name}.runtime`), { node }),
    );
    const own = JSON.parse(JSON.stringify(readRuntime(runtimeOn(node, instance))));
    return { theirs, own };
  };
  const attachDisk = (device: Device, index: number) => {
    const extra = { link: String(device.logical_id[1]), uri: null };
    const what = { type: "disk", device, index, extra } as const;
    return called(bench, node, "hotplug_device", { instance, action: "add", what });
  };
  const attachNic = (number: number, index: number) => {
    const what = { type: "nic", device: aNic(number), index } as const;
    return called(bench, node, "hotplug_device", { instance, action: "add", what });
  };
  const listed = () => bench.call(node, "instance_list", [["kvm"], { kvm: instance.hvparams }]);
  const softReboot = () =>
    called(bench, node, "instance_reboot", {
      ...{ instance, type: "soft", shutdownTimeoutSeconds: 0, reason: [] },
    });
  /** Devices of the emulator with their places on the bus, without descriptors that differ at each start. */
  const devices = async () =>
    (await wordsOf(bench, node, instance)).filter((word) => /id=(disk|nic)-.*bus=/.test(word));
  const taps = async () =>
    (await bench.exec("ip", ["-o", "link"], { node })).stdout.match(/: tap\d+:/g) ?? [];
  const expectNothingLeft = async () => {
    expect(await listed()).toEqual([true, []]);
    const folder = join(node.runFolder, "kvm-hypervisor");
    for (const name of ["conf", "pid", "uid", "nic"]) {
      expect([name, readdirSync(join(folder, name))]).toEqual([name, []]);
    }
    expect(await taps()).toEqual([]);
  };

  test("has the same runtime file whichever daemon starts it", async () => {
    await start(bench, node, instance);
    const theirs = runtimeOn(node, instance);
    await shutDown(bench, node, instance);
    await expectNothingLeft();
    await byUs();
    await start(bench, node, instance);
    const own = runtimeOn(node, instance);
    await shutDown(bench, node, instance);
    await expectNothingLeft();
    expect(JSON.parse(own)).toEqual(JSON.parse(theirs));
    expect(JSON.parse(own)[3]).toHaveLength(2);
  });

  test.each([
    ["Ganeti's daemon", "ours"],
    ["our daemon", "Ganeti's"],
  ])("that %s has started and given devices goes on with %s", async (first) => {
    const isOursFirst = first === "our daemon";
    if (isOursFirst) await byUs();
    await start(bench, node, instance);
    await attachDisk(disks[2], 2);
    await attachNic(3, 2);
    const before = await read();
    expect(before.own).toEqual(before.theirs);
    expect([before.own.disks.length, before.own.nics.length]).toEqual([3, 3]);

    await (isOursFirst ? byGaneti() : byUs());
    expect(await listed()).toEqual([true, [instance.name]]);
    await attachDisk(disks[3], 3);
    await attachNic(4, 3);
    const after = await read();
    expect(after.theirs).toEqual(after.own);
    const link = String(disks[3].logical_id[1]);
    expect(after.own).toEqual({
      ...before.own,
      disks: [...before.own.disks, expect.objectContaining({ link })],
      nics: [...before.own.nics, expect.objectContaining({ mac: aNic(4).mac })],
    });
    await softReboot();
    expect(await devices()).toHaveLength(8);
    expect(await read()).toEqual(after);
    await shutDown(bench, node, instance);
    if (isOursFirst) {
      // Ganeti's daemon does not remove the interfaces that ours has made.
      expect(await taps()).toHaveLength(3);
      await byUs();
    }
    await expectNothingLeft();
  });
});
