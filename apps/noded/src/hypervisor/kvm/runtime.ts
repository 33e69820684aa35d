/** Runtime: the parameters an instance was started with, in the format of Ganeti's runtime files. */
import { randomUUID } from "node:crypto";
import type { InstanceOnNode, NicOnNode } from "@ganeti-ts/node-calls";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { withoutNulls } from "@ganeti-ts/protocol";
import { NodeFailure } from "../../failure.js";
import type { AttachedDisk, HvParams } from "../hypervisor.js";
import type { Word } from "./command-line.js";
import { type DevicePlace, placeDevices } from "./devices.js";
import { tlsCredentials } from "./display.js";

/** A disk as Ganeti stores it, with its place on the bus. */
export interface RuntimeDisk {
  readonly disk: { readonly [key: string]: unknown; readonly hvinfo: DevicePlace };
  readonly link: string | null;
  readonly uri: string | null;
}

export type RuntimeNic = Omit<NicOnNode, "hvinfo"> & { readonly hvinfo: DevicePlace };

export interface Runtime {
  /** Part one of the command line. */
  readonly words: readonly Word[];
  readonly nics: readonly RuntimeNic[];
  readonly hvparams: HvParams;
  readonly disks: readonly RuntimeDisk[];
}

/** Keys of a disk that Ganeti's reader knows; it refuses all others. */
const diskKeys = [
  ...["dev_type", "logical_id", "children", "nodes", "iv_name", "size", "mode", "name", "spindles"],
  ...["params", "serial_no", "ctime", "mtime", "uuid", "pci", "forthcoming"],
];

/** A disk as in the configuration, with its children. */
export function diskEntry(disk: AttachedDisk["disk"], hvinfo: DevicePlace): RuntimeDisk["disk"] {
  return { ...entries(disk as unknown as JsonObject), hvinfo };
}

function entries(disk: JsonObject): JsonObject {
  const known = diskKeys.flatMap((key): [string, Json][] => {
    const value = disk[key];
    if (value === undefined || value === null) return [];
    if (key !== "children" || !Array.isArray(value)) return [[key, value]];
    return [[key, value.map((child) => entries(child as JsonObject))]];
  });
  return Object.fromEntries(known);
}

export function newRuntime(
  words: readonly Word[],
  { nics, disks, hvparams }: Pick<InstanceOnNode, "nics" | "disks" | "hvparams">,
  attached: readonly AttachedDisk[],
): Runtime {
  const places = placeDevices({ nics, disks, hvparams });
  return {
    words,
    nics: nics.map((nic, index) => ({ ...nic, hvinfo: places.nics[index] ?? {} })),
    hvparams,
    disks: attached.map(({ disk, link, uri }, index) => ({
      disk: diskEntry(disk, places.disks[index] ?? {}),
      link,
      uri,
    })),
  };
}

export const runtimeText = ({ words, nics, hvparams, disks }: Runtime): string =>
  `${JSON.stringify([
    words,
    nics.map(withoutNulls),
    hvparams,
    disks.map(({ disk, link, uri }) => [disk, link, uri]),
  ])}\n`;

const failed = (why: string): NodeFailure =>
  new NodeFailure(`Failed to load KVM runtime file: ${why}`);

/** Parses the runtime file of any version of Ganeti. */
export function readRuntime(text: string): Runtime {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw failed((error as Error).message);
  }
  if (!Array.isArray(json) || json.length < 3 || json.length > 4) {
    throw failed("it is no list of three or four parts");
  }
  const [words, nics, hvparams, disks = []] = json;
  if (!Array.isArray(words) || !words.every((one) => /string|number/.test(typeof one))) {
    throw failed("its command line is no list of words");
  }
  if (!Array.isArray(nics) || !Array.isArray(disks) || typeof hvparams !== "object") {
    throw failed("its devices or parameters have the wrong form");
  }
  return {
    words: currentWords(words),
    nics: nics.map(readNic),
    hvparams,
    disks: disks.map(([disk, link = null, uri = null]) => ({
      disk: placed("disk", disk),
      link,
      uri,
    })),
  };
}

/** Reads a NIC; runtime files of older versions have no ids of NICs. */
function readNic(nic: JsonObject): RuntimeNic {
  const read = placed("nic", nic);
  const added = {
    ...(!read.uuid && { uuid: randomUUID() }),
    ...(!read.nicparams && { nicparams: {} }),
  };
  return { ...read, ...added } as unknown as RuntimeNic;
}

/** Place of a device; runtime files of older versions contain the slot number only. */
function placed(
  kind: "nic" | "disk",
  device: JsonObject,
): JsonObject & { readonly hvinfo: DevicePlace } {
  const { hvinfo, pci } = device;
  if (hvinfo !== undefined && hvinfo !== null) return { ...device, hvinfo: hvinfo as DevicePlace };
  if (typeof pci !== "number") return { ...device, hvinfo: {} };
  const driver = kind === "nic" ? "virtio-net-pci" : "virtio-blk-pci";
  const id = `hot${kind}-${String(device.uuid ?? "").split("-")[0]}-pci-${pci}`;
  return { ...device, hvinfo: { driver, id, addr: `0x${pci.toString(16)}`, bus: "pci.0" } };
}

/** Converts words that older versions wrote to the current form. */
function currentWords(words: readonly Word[]): readonly Word[] {
  const current: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const next = String(words[at + 1] ?? "");
    if (word === "-localtime") current.push("-rtc", "base=localtime");
    else if (word === "-balloon") {
      current.push("-device", next.replace(/^virtio/, "virtio-balloon"));
      at++;
    } else if (word === "-vnc") {
      current.push(...currentVnc(next));
      at++;
    } else current.push(word);
  }
  return current;
}

/** Converts the former options `tls`, `x509=` and `x509verify=`, which are separate objects now. */
function currentVnc(word: string): readonly string[] {
  const parts = word.split(",");
  const x509 = parts.find((part) => /^x509(verify)?=/.test(part));
  if (!parts.includes("tls") && x509 === undefined) return ["-vnc", word];
  const [kind, directory = null] = x509?.split("=", 2) ?? [];
  const [address = "", ...rest] = parts.filter((part) => part !== "tls" && part !== x509);
  return [
    ...["-object", tlsCredentials(directory, kind === "x509verify")],
    ...["-vnc", [address, "tls-creds=vnctls0", ...rest].join()],
  ];
}

/** Parameters that are taken from the configuration even at a restart from the file. */
const alwaysPresent = [
  ...["security_model", "security_domain", "keymap", "vnc_password_file"],
  ...["spice_password_file", "use_chroot"],
];

/**
 * Parameters of a running instance: those of its start. They apply to hotplugged devices and to the target of a migration,
 * whose virtual machine must be equal. Current ones are used where older versions have not stored a parameter.
 */
export const hvparamsOfMachine = (
  present: HvParams,
  { hvparams }: Pick<Runtime, "hvparams">,
): HvParams => ({ ...present, ...hvparams });

/** Parameters of a restart from the file: stored ones take precedence. */
export function hvparamsAtStart(
  present: HvParams,
  { hvparams }: Pick<Runtime, "hvparams">,
): HvParams {
  const kept = alwaysPresent.flatMap((name) =>
    present[name] === undefined ? [] : [[name, present[name]] as const],
  );
  return { ...present, ...hvparams, ...Object.fromEntries(kept) };
}
