/** Command line of QEMU, part one: the words that are stored in the runtime file. */
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import type { HvParams } from "../hypervisor.js";
import { displayWords } from "./display.js";
import type { Features } from "./features.js";
import type { InstanceFiles } from "./files.js";
import type { SpiceAddress } from "./listen-addresses.js";
import { bootsFrom, count, flag, hasKernel, isOnScsiController, text } from "./parameters.js";

export interface MachineInput {
  readonly instance: InstanceOnNode;
  readonly features: Features;
  readonly files: InstanceFiles;
  /** Written into the value of `-machine`; null leaves the choice to QEMU. */
  readonly accelerator: "kvm" | "tcg" | null;
  readonly isPaused: boolean;
  readonly vncAddress: string | null;
  readonly spiceAddress: SpiceAddress | null;
  readonly data: string;
}

/** One word; the amount of memory is a number, as in Ganeti's runtime files, and every other word is text. */
export type Word = string | number;

export const machineWords = (input: MachineInput): readonly Word[] => [
  ...basicWords(input),
  ...bootWords(input),
  ...ownDeviceWords(input),
  ...extraWords(input),
];

function basicWords(input: MachineInput): readonly Word[] {
  const { instance, features, files, accelerator, isPaused } = input;
  const { name, hvparams, beparams } = instance;
  const smp = ["cores", "threads", "sockets"].flatMap((kind) => {
    const number = count(hvparams, `cpu_${kind}`);
    return number === 0 ? [] : [`${kind}=${number}`];
  });
  const hasAcpi = hvparams.acpi !== false;
  const hasAcpiWord = features.hasOption("no-acpi");
  const machine = [text(hvparams, "machine_version") || features.defaultMachine];
  if (!hasAcpi && !hasAcpiWord) machine.push("acpi=off");
  if (accelerator !== null) machine.push(`accel=${accelerator}`);
  return [
    ...[text(hvparams, "kvm_path"), "-name", name, "-m", Number(beparams.maxmem)],
    ...["-smp", [beparams.vcpus, ...smp].join(), "-pidfile", files.pid],
    ...soundWords(text(hvparams, "soundhw"), features),
    ...(isOnScsiController(text(hvparams, "disk_type"))
      ? ["-device", `${text(hvparams, "scsi_controller_type")},id=scsi`]
      : []),
    ...["-device", "virtio-balloon", "-daemonize", "-D", files.log],
    ...(!hasAcpi && hasAcpiWord ? ["-no-acpi"] : []),
    ...(text(hvparams, "reboot_behavior") === "exit" ? ["-no-reboot"] : []),
    ...["-machine", machine.join()],
    ...(isPaused ? ["-S"] : []),
  ];
}

/** Devices that replace the names of `-soundhw`, which QEMU 7.1 removed. */
const soundDevices: Readonly<Record<string, readonly string[]>> = {
  ac97: ["AC97,audiodev=snd0"],
  es1370: ["ES1370,audiodev=snd0"],
  hda: ["intel-hda", "hda-duplex,audiodev=snd0"],
};

function soundWords(soundhw: string, features: Features): readonly string[] {
  if (soundhw === "") return [];
  if (features.hasOption("soundhw")) return ["-soundhw", soundhw];
  const devices = soundhw
    .split(",")
    .flatMap((name) => soundDevices[name] ?? [`${name},audiodev=snd0`]);
  return ["-audiodev", "none,id=snd0", ...devices.flatMap((device) => ["-device", device])];
}

export const isUrl = (path: string): boolean => /^(https?|ftps?|tftp):\/\//.test(path);

function bootWords({ instance: { hvparams }, features }: MachineInput): readonly string[] {
  const diskType = text(hvparams, "disk_type");
  const words = bootsFrom(hvparams, "network") ? ["-boot", "n"] : [];
  const cdroms = ["cdrom_image_path", "cdrom2_image_path"].map((name) => text(hvparams, name));
  for (const [index, image] of cdroms.entries()) {
    if (image === "") continue;
    const isBooted = index === 0 && bootsFrom(hvparams, "cdrom");
    const type = text(hvparams, "cdrom_disk_type") || diskType;
    const bus = isBooted ? "ide" : type === "paravirtual" ? "virtio" : type;
    if (isBooted) words.push("-boot", "d");
    const format = isUrl(image) ? "" : ",format=raw";
    words.push("-drive", `file=${escaped(image)},media=cdrom${format},if=${bus}`);
  }
  const floppy = text(hvparams, "floppy_image_path");
  if (floppy !== "") {
    const isBooted = bootsFrom(hvparams, "floppy");
    const boot = isBooted && features.bootOfDrive ? ",boot=on" : "";
    if (isBooted) words.push("-boot", "a");
    words.push("-drive", `file=${escaped(floppy)},format=raw,media=disk${boot},if=floppy`);
  }
  return [...words, ...kernelWords(hvparams)];
}

/** Doubles commas, as QEMU requires in values. */
export const escaped = (value: string): string => value.replaceAll(",", ",,");

function kernelWords(hvparams: HvParams): readonly string[] {
  if (!hasKernel(hvparams)) return [];
  const initrd = text(hvparams, "initrd_path");
  const words = [`root=${text(hvparams, "root_path")} ${text(hvparams, "kernel_args")}`];
  if (flag(hvparams, "serial_console")) {
    words.push(`console=ttyS0,${text(hvparams, "serial_speed")}`);
  }
  return [
    ...["-kernel", text(hvparams, "kernel_path")],
    ...(initrd === "" ? [] : ["-initrd", initrd]),
    ...["-append", words.join(" ")],
  ];
}

const socketWord = (path: string): string => `unix:${path},server,nowait`;

function ownDeviceWords(input: MachineInput): readonly string[] {
  const { instance, files, vncAddress, spiceAddress, data } = input;
  const { name, hvparams, network_port: port = null } = instance;
  const memory = text(hvparams, "mem_path");
  const mouse = text(hvparams, "usb_mouse") || (vncAddress === null ? "" : "tablet");
  return [
    ...(memory === "" ? [] : ["-mem-path", memory, "-mem-prealloc"]),
    ...["-monitor", socketWord(files.monitor)],
    ...["-serial", flag(hvparams, "serial_console") ? socketWord(files.serial) : "none"],
    "-usb",
    ...(mouse === "" ? [] : ["-usbdevice", mouse]),
    ...displayWords({ name, hvparams, port, vncAddress, spiceAddress, data }),
  ];
}

function extraWords({ instance, features, files, spiceAddress }: MachineInput): readonly string[] {
  const { hvparams, uuid } = instance;
  const pair = (word: string, value: string): readonly string[] =>
    value === "" ? [] : [word, value];
  const usb = text(hvparams, "usb_devices");
  const extra = text(hvparams, "kvm_extra");
  return [
    ...(flag(hvparams, "use_localtime") ? ["-rtc", "base=localtime"] : []),
    ...(flag(hvparams, "use_chroot") ? chrootWords(files, features) : []),
    ...pair("-cpu", text(hvparams, "cpu_type")),
    ...pair("-vga", text(hvparams, "vga") || (spiceAddress === null ? "" : "qxl")),
    ...(usb === "" ? [] : usb.split(",").flatMap((device) => ["-usbdevice", device])),
    ...["-uuid", uuid],
    ...(flag(hvparams, "use_guest_agent")
      ? [
          ...["-chardev", `socket,path=${files.guestAgent},server,nowait,id=qga0`],
          ...["-device", "virtio-serial,id=qga0"],
          ...["-device", "virtserialport,chardev=qga0,name=org.qemu.guest_agent.0"],
        ]
      : []),
    ...(extra === "" ? [] : extra.split(" ")),
  ];
}

/** Option for the chroot directory, which newer versions of QEMU have renamed. */
const chrootWords = ({ chroot }: InstanceFiles, { hasOption }: Features): readonly string[] =>
  hasOption("chroot") ? ["-chroot", chroot] : ["-run-with", `chroot=${chroot}`];
