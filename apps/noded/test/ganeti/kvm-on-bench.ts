/** Helpers for instances under QEMU on a node of a bench, independent of the node daemon that runs there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { InstanceOnNode, NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { encodeArguments, noNodes } from "@ganeti-ts/node-rpc";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";

/** Program without KVM acceleration, the `kvm_path` of all instances here. */
export const qemu = "/usr/bin/qemu-system-x86_64";

const folder = "/srv/vcluster/file-storage/kvm";

export type Device = InstanceOnNode["disks"][number];

/** Ganeti's defaults of all parameters, adapted for emulation without a kernel and without a display. */
export async function kvmParameters(bench: ReferenceBench): Promise<InstanceOnNode["hvparams"]> {
  const code =
    "import json; from ganeti import constants; print(json.dumps(constants.HVC_DEFAULTS['kvm']))";
  const defaults = JSON.parse(await bench.python(code));
  const changed = { kvm_path: qemu, kvm_flag: "disabled", kernel_path: "", vnc_bind_address: "" };
  return { ...defaults, ...changed };
}

/** A disk in a sparse file, with all fields that the configuration can contain. */
export async function aDisk(bench: ReferenceBench, name: string, number: number): Promise<Device> {
  const path = `${folder}/${name}`;
  await bench.exec("mkdir", ["-p", folder]);
  await bench.exec("truncate", ["-s", "16M", path]);
  return {
    uuid: `${String(number).repeat(8)}-aaaa-4bbb-8ccc-dddddddddddd`,
    dev_type: "file",
    logical_id: ["loop", path],
    ...{ size: 16, mode: "rw", iv_name: `disk/${number}`, name: `disk of ${name}` },
    ...{ nodes: ["node-uuid"], serial_no: 2, ctime: 1_700_000_000.25, mtime: 1_700_000_001.5 },
    params: {},
  } as Device;
}

export const aNic = (number: number): InstanceOnNode["nics"][number] => ({
  uuid: `${String(number).repeat(8)}-eeee-4fff-8000-111111111111`,
  mac: `aa:00:00:00:00:0${number}`,
  ip: `10.77.0.20${number}`,
  name: `nic${number}`,
  nicparams: { mode: "bridged", link: "xen-br0", vlan: "" },
});

/** Makes a call to a node, with arguments as our master sends them. @throws Error with the node's text */
export async function called<Name extends NodeCallName>(
  bench: ReferenceBench,
  node: ReferenceNode,
  name: Name,
  args: NodeCallArguments<Name>,
): Promise<unknown> {
  const context = { ...noNodes, virtualPaths: true };
  const encoded = encodeArguments(name, args, context) as readonly unknown[];
  const [isDone, answer] = await bench.call(node, name, encoded);
  if (!isDone) throw new Error(`${name}: ${answer}`);
  return answer;
}

export const start = (bench: ReferenceBench, node: ReferenceNode, instance: InstanceOnNode) =>
  called(bench, node, "instance_start", { instance, startupPaused: false, reason: [] });

export const shutDown = (bench: ReferenceBench, node: ReferenceNode, instance: InstanceOnNode) =>
  called(bench, node, "instance_shutdown", { instance, timeoutSeconds: 0, reason: [] });

/** Text of the runtime file. */
export const runtimeOn = ({ runFolder }: ReferenceNode, { name }: InstanceOnNode): string =>
  readFileSync(join(runFolder, "kvm-hypervisor/conf", `${name}.runtime`), "utf8");

/** Words of the emulator that runs the instance. */
export async function wordsOf(
  bench: ReferenceBench,
  node: ReferenceNode,
  { name }: InstanceOnNode,
): Promise<readonly string[]> {
  const pid = readFileSync(join(node.runFolder, "kvm-hypervisor/pid", name), "utf8").trim();
  const { stdout } = await bench.exec("cat", [`/proc/${pid}/cmdline`], { node });
  return stdout.split("\0").slice(0, -1);
}
