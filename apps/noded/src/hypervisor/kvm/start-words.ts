/** Command line of QEMU, part two: words that apply to one start only. */
import { isShared } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import type { HvParams } from "../hypervisor.js";
import { escaped } from "./command-line.js";
import { deviceWord } from "./devices.js";
import type { Features } from "./features.js";
import type { InstanceFiles } from "./files.js";
import { bootsFrom, count, flag, text } from "./parameters.js";
import type { Runtime, RuntimeDisk, RuntimeNic } from "./runtime.js";

export interface StartInput {
  readonly runtime: Runtime;
  /** Parameters of this start. */
  readonly hvparams: HvParams;
  readonly features: Features;
  readonly files: InstanceFiles;
  /** Whether NICs may use vhost-net. */
  readonly hasVhost: boolean;
  /** Names of the interfaces, by the index of the NIC. */
  readonly taps: readonly string[];
  /** Address and port on which QEMU waits for a migration. */
  readonly incoming: { readonly address: string; readonly port: number } | null;
  /** User that QEMU switches to; null: it stays root. */
  readonly user: { readonly name: string; readonly isFromPool: boolean } | null;
}

export function startWords(input: StartInput): readonly string[] {
  const { runtime, hvparams, features, files, incoming, user } = input;
  const keymap = text(hvparams, "keymap");
  const runAs = user === null ? [] : userWords(user.name, features);
  const isPaused = runtime.words.includes("-S");
  return [
    ...runtime.words.map(String),
    ...(user?.isFromPool ? [] : runAs),
    ...(keymap === "" ? [] : ["-k", keymap]),
    ...nicWords(input),
    ...(incoming === null
      ? []
      : ["-incoming", `tcp:${hostText(incoming.address)}:${incoming.port}`]),
    ...["-qmp", `unix:${files.qmp},server,nowait`, "-qmp", `unix:${files.watch},server,nowait`],
    ...diskWords(runtime.disks, hvparams, features),
    ...(isPaused || incoming !== null ? [] : ["-S"]),
    ...(user?.isFromPool ? runAs : []),
  ];
}

/** Address to be followed by a port: IPv6 addresses in brackets. */
export const hostText = (address: string): string =>
  address.includes(":") ? `[${address}]` : address;

const userWords = (name: string, { hasOption }: Features): readonly string[] =>
  hasOption("runas") ? ["-runas", name] : ["-run-with", `user=${name}`];

/** Cache options of a drive, at the start and for hotplug. */
export function driveCache(disk: RuntimeDisk["disk"], hvparams: HvParams): string {
  // Other nodes access the disk as well, so QEMU must not cache it in the node's memory. The rbd library takes care of this itself.
  const isUncached = isShared(String(disk.dev_type)) && disk.dev_type !== "rbd";
  const cache = isUncached ? "none" : text(hvparams, "disk_cache");
  const discard = text(hvparams, "disk_discard");
  const io =
    text(hvparams, "disk_aio") === "native"
      ? ",aio=native,cache=none"
      : `,aio=threads${cache === "" || cache === "default" ? "" : `,cache=${cache}`}`;
  return discard === "" || discard === "default" ? io : `${io},discard=${discard}`;
}

/** Address of a disk for QEMU: its URI if the storage has one, else the link. */
export function driveFile({ link, uri }: RuntimeDisk): string {
  const file = uri ?? (link === null ? null : escaped(link));
  if (file === null) throw new NodeFailure("A disk has neither a device nor an address");
  return file;
}

/** Value of `if=` for a drive without its own `-device`. */
function driveInterface(hvparams: HvParams): string {
  const type = text(hvparams, "disk_type");
  return type === "paravirtual" ? "virtio" : type;
}

/** Refuses read-only disks, at the start and for hotplug. @throws NodeFailure */
export function refuseReadOnly(mode: unknown): void {
  if (mode === undefined || mode === null || mode === "rw") return;
  throw new NodeFailure("Instance has read-only disks which are not supported by KVM");
}

function diskWords(
  disks: readonly RuntimeDisk[],
  hvparams: HvParams,
  features: Features,
): readonly string[] {
  const isBooted = bootsFrom(hvparams, "disk");
  return disks.flatMap((one, index) => {
    const { disk } = one;
    refuseReadOnly(disk.mode);
    const place = disk.hvinfo;
    const hasDriver = features.hasDriver(String(place.driver));
    const first = index === 0 && isBooted;
    const parts = [`file=${driveFile(one)},format=raw`];
    parts.push(`if=${hasDriver ? "none" : driveInterface(hvparams)}`);
    if (first && features.bootOfDrive) parts.push("boot=on");
    const cache = driveCache(disk, hvparams);
    const end = [...(hasDriver ? [`id=${place.id}`] : [])];
    if (features.autoReadOnly) end.push("auto-read-only=off");
    return [
      ...(first ? ["-boot", "c"] : []),
      ...(hasDriver ? ["-device", `${deviceWord(place)},drive=${place.id}`] : []),
      ...["-drive", [`${parts.join()}${cache}`, ...end].join()],
    ];
  });
}

function nicWords({ runtime, taps, ...start }: StartInput): readonly string[] {
  if (runtime.nics.length === 0) return ["-net", "none"];
  return runtime.nics.flatMap((nic, index) => {
    const { netdev, device } = nicDevice(nic, taps[index] ?? "", start);
    return [
      ...["-netdev", keyValues(netdev)],
      ...["-device", keyValues({ ...nic.hvinfo, ...device }).replace(/^driver=/, "")],
    ];
  });
}

const keyValues = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${value === true ? "on" : value === false ? "off" : value}`)
    .join();

/** Number of queues of a NIC; several only with vhost. The guest sees the number, so it must be equal on all nodes. */
export const queueCount = (hvparams: HvParams): number =>
  isParavirtual(hvparams) && flag(hvparams, "vhost_net")
    ? Math.max(1, count(hvparams, "virtio_net_queues", 1))
    : 1;

const isParavirtual = (hvparams: HvParams): boolean => text(hvparams, "nic_type") === "paravirtual";

/** Back end and additional properties of a NIC, the same at the start and for hotplug. */
export function nicDevice(
  { mac, hvinfo }: RuntimeNic,
  tap: string,
  { hvparams, features, hasVhost }: Pick<StartInput, "hvparams" | "features" | "hasVhost">,
): {
  readonly netdev: Readonly<Record<string, string | number | boolean>>;
  readonly device: Readonly<Record<string, string | number | boolean>>;
} {
  const wantsVhost = isParavirtual(hvparams) && flag(hvparams, "vhost_net");
  if (wantsVhost && !features.vhost) {
    throw new NodeFailure("vhost_net is configured but it is not available");
  }
  const queues = queueCount(hvparams);
  if (queues > 1 && !features.multiqueue) {
    throw new NodeFailure("virtio_net_queues is configured but it is not available");
  }
  const id = String(hvinfo.id);
  return {
    netdev: {
      ...{ type: "tap", id, ifname: tap, script: "no", downscript: "no" },
      ...(queues > 1 && { queues }),
      ...(isParavirtual(hvparams) && !flag(hvparams, "vnet_hdr") && { vnet_hdr: false }),
      ...(wantsVhost && hasVhost && { vhost: true }),
    },
    device: {
      netdev: id,
      mac: mac ?? "",
      ...(queues > 1 && { mq: true, vectors: 2 * queues + 2 }),
    },
  };
}
