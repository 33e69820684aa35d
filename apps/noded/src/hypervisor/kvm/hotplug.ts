/** Hotplug for KVM: attaches devices to running instances and detaches them. */
import { join } from "node:path";
import type { HotplugDevice, InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../../failure.js";
import { configureInterface, interfaceVariables } from "../../network/interface-script.js";
import { diskTypes } from "../../storage/disk-types.js";
import { attempt } from "../../storage/failures.js";
import type { Hotplug } from "../hypervisor.js";
import {
  makeFolder,
  readIfThere,
  removeIfThere,
  renameIfThere,
  replaceFile,
} from "../state-files.js";
import { isConfined, withFile, withQueues } from "./descriptors.js";
import { type DevicePlace, placeDevice } from "./devices.js";
import { flag, isOnScsiController, text } from "./parameters.js";
import type { KvmPorts } from "./ports.js";
import { processOf } from "./process.js";
import { type Qmp, withQmp } from "./qmp.js";
import {
  diskEntry,
  hvparamsOfMachine,
  type Runtime,
  type RuntimeDisk,
  type RuntimeNic,
} from "./runtime.js";
import { loadRuntime, saveRuntime } from "./runtime-files.js";
import { driveCache, driveFile, nicDevice, queueCount, refuseReadOnly } from "./start-words.js";
import { vhostWorks } from "./vhost.js";

type NicDevice = Extract<HotplugDevice, { type: "nic" }>;
type DiskDevice = Extract<HotplugDevice, { type: "disk" }>;

/** Time (ms) for a guest to release a device. */
const removalMs = 10_000;

export function hotplug(ports: KvmPorts): Hotplug {
  const { files } = ports;
  const change = async (
    { name, ...present }: InstanceOnNode,
    action: (qmp: Qmp, runtime: Runtime, instance: InstanceOnNode) => Promise<Runtime>,
  ): Promise<void> => {
    const runtime = await loadRuntime(ports, name);
    const hvparams = hvparamsOfMachine(present.hvparams, runtime);
    const changed = await withQmp(files.of(name).qmp, (qmp) =>
      action(qmp, runtime, { ...present, name, hvparams }),
    );
    await saveRuntime(ports, name, changed);
  };
  const add: Hotplug["add"] = (instance, what) =>
    change(instance, (qmp, runtime, machine) =>
      what.type === "disk"
        ? attempt("Cannot hot-add disk", () => addDisk(ports, qmp, runtime, machine, what))
        : attempt("Cannot hot-add NIC", () => addNic(ports, qmp, runtime, machine, what)),
    );
  const remove: Hotplug["remove"] = (instance, what) =>
    change(instance, (qmp, runtime) =>
      what.type === "disk"
        ? removeDisk(qmp, runtime, what.device.uuid)
        : removeNic(ports, qmp, runtime, { name: instance.name, uuid: what.device.uuid }),
    );
  return {
    async check({ name }) {
      if ((await processOf(files, name)) === null) {
        throw new NodeFailure("Instance is probably down");
      }
      const [major, minor] = await withQmp(files.of(name).qmp, async ({ version }) => version);
      if (major < 1 || (major === 1 && minor < 7)) {
        throw new NodeFailure("Hotplug not supported for qemu versions < 1.7");
      }
    },
    add,
    remove,
    async modify(instance, what) {
      if (what.type === "disk") {
        await change(instance, (qmp, runtime) => resizeDisk(ports, qmp, runtime, what.device));
        return;
      }
      await remove(instance, what);
      await add(instance, what);
    },
  };
}

const places = ({ disks, nics }: Runtime): readonly DevicePlace[] => [
  ...disks.map(({ disk }) => disk.hvinfo),
  ...nics.map(({ hvinfo }) => hvinfo),
];

function refuseType(kind: "disk" | "nic", type: string): void {
  const isFine =
    kind === "nic" ? type !== "ne2k_isa" : type === "paravirtual" || isOnScsiController(type);
  if (!isFine) throw new Error(`Hotplug is not supported for device type ${type}`);
}

async function addDisk(
  { context: { run } }: KvmPorts,
  qmp: Qmp,
  runtime: Runtime,
  { hvparams }: InstanceOnNode,
  { device, extra }: DiskDevice,
): Promise<Runtime> {
  refuseType("disk", text(hvparams, "disk_type"));
  refuseReadOnly(device.mode);
  const place = placeDevice("disk", device.uuid, hvparams, places(runtime));
  const id = String(place.id);
  const added: RuntimeDisk = {
    disk: diskEntry(device, place),
    link: extra?.link ?? null,
    uri: extra?.uri ?? null,
  };
  const addDrive = async (file: string): Promise<void> => {
    const options = [`file=${file}`, "if=none", `id=${id}`, "format=raw", "auto-read-only=off"];
    const cache = driveCache(added.disk, hvparams);
    const said = await qmp.humanMonitor(`drive_add dummy ${options.join()}${cache}`);
    if (!/^OK\s*$/m.test(said)) throw new NodeFailure(said.trim());
  };
  const { link, uri } = added;
  if (isConfined(hvparams) && link !== null && uri === null) {
    await withFile({ run, qmp }, link, addDrive);
  } else await addDrive(driveFile(added));
  try {
    await qmp.execute("device_add", { ...place, drive: id });
  } catch (error) {
    await qmp.humanMonitor(`drive_del ${id}`);
    throw error;
  }
  return { ...runtime, disks: [...runtime.disks, added] };
}

/** Makes the guest see the current size of the device; a disk never shrinks. */
async function resizeDisk(
  { context }: KvmPorts,
  qmp: Qmp,
  runtime: Runtime,
  disk: DiskDevice["device"],
): Promise<Runtime> {
  const found = runtime.disks.find((one) => one.disk.uuid === disk.uuid);
  if (found === undefined) throw unknownDevice("disk", disk.uuid);
  const id = String(found.disk.hvinfo.id);
  const blocks = (await qmp.execute("query-block")) as unknown as readonly Block[];
  const before = blocks.find(({ device }) => device === id)?.inserted?.image["virtual-size"] ?? 0;
  const size = (await diskTypes(context)(disk).size(disk))?.bytes ?? 0;
  if (size > before) await qmp.execute("block_resize", { device: id, size });
  return runtime;
}

/** Relevant part of an entry in the answer to `query-block`. */
interface Block {
  readonly device: string;
  readonly inserted?: { readonly image: { readonly "virtual-size": number } };
}

const unknownDevice = (kind: "disk" | "nic", uuid: string) =>
  new NodeFailure(`Cannot find runtime info for ${kind} with UUID ${uuid}`);

async function removeDisk(qmp: Qmp, runtime: Runtime, uuid: string): Promise<Runtime> {
  const found = runtime.disks.find(({ disk }) => disk.uuid === uuid);
  if (found === undefined) throw unknownDevice("disk", uuid);
  const id = String(found.disk.hvinfo.id);
  await removeDevice(qmp, id);
  await qmp.humanMonitor(`drive_del ${id}`);
  return { ...runtime, disks: runtime.disks.filter((one) => one !== found) };
}

/** Requests the removal from the guest; if it does not respond, the device stays. */
async function removeDevice(qmp: Qmp, id: string): Promise<void> {
  await qmp.execute("device_del", { id });
  const isGone = await qmp.awaited(
    ({ event, data }) => event === "DEVICE_DELETED" && data.device === id,
    removalMs,
  );
  if (!isGone) throw new NodeFailure(`Device ${id} should have been removed but is still there`);
}

async function addNic(
  { context, files, features, taps }: KvmPorts,
  qmp: Qmp,
  runtime: Runtime,
  instance: InstanceOnNode,
  { device, index }: NicDevice,
): Promise<Runtime> {
  const { name, hvparams } = instance;
  refuseType("nic", text(hvparams, "nic_type"));
  const hvinfo = placeDevice("nic", device.uuid, hvparams, places(runtime));
  const nic: RuntimeNic = { ...device, hvinfo };
  const own = files.of(name);
  const file = join(own.nics, String(runtime.nics.length));
  const tap = await taps.make({
    instance: name,
    nicName: device.name ?? null,
    queues: queueCount(hvparams),
    async note(made) {
      await makeFolder(own.nics, 0o775);
      await replaceFile(file, made, 0o644);
    },
  });
  try {
    await configureInterface(context, interfaceVariables(instance, nic, index, tap));
    const known = await features(text(hvparams, "kvm_path"));
    const hasVhost = await vhostWorks(context, name, hvparams);
    const words = nicDevice(nic, tap, { hvparams, features: known, hasVhost });
    const addBackEnd = async (netdev: typeof words.netdev): Promise<void> => {
      await qmp.execute("netdev_add", typed(netdev));
    };
    if (isConfined(hvparams)) await withQueues({ run: context.run, qmp }, words.netdev, addBackEnd);
    else await addBackEnd(words.netdev);
    const romfile = flag(hvparams, "use_chroot") ? { romfile: "" } : {};
    try {
      await qmp.execute("device_add", { ...hvinfo, ...typed(words.device), ...romfile });
    } catch (error) {
      await qmp.execute("netdev_del", { id: String(hvinfo.id) });
      throw error;
    }
  } catch (error) {
    await taps.remove(tap, name);
    await removeIfThere(file);
    throw error;
  }
  return { ...runtime, nics: [...runtime.nics, nic] };
}

/** The same properties, with `vnet_hdr` as the last one. */
const typed = ({ vnet_hdr, ...values }: Readonly<Record<string, string | number | boolean>>) => ({
  ...values,
  ...(vnet_hdr !== undefined && { vnet_hdr }),
});

async function removeNic(
  { files, taps }: KvmPorts,
  qmp: Qmp,
  runtime: Runtime,
  { name, uuid }: { readonly name: string; readonly uuid: string },
): Promise<Runtime> {
  const at = runtime.nics.findIndex((nic) => nic.uuid === uuid);
  const found = runtime.nics[at];
  if (found === undefined) throw unknownDevice("nic", uuid);
  const id = String(found.hvinfo.id);
  await removeDevice(qmp, id);
  await qmp.execute("netdev_del", { id });
  // Files are named by the NIC's position in the runtime, which may differ from that in the configuration.
  const file = (index: number): string => join(files.of(name).nics, String(index));
  const tap = await readIfThere(file(at));
  if (tap !== null) await taps.remove(tap.trim(), name);
  await removeIfThere(file(at));
  const nics = runtime.nics.toSpliced(at, 1);
  for (const index of nics.keys()) {
    if (index >= at) await renameIfThere(file(index + 1), file(index));
  }
  return { ...runtime, nics };
}
