/** Help output of QEMU 7.2 and of older and newer versions, reduced to the lines that the daemon uses. */
import type { Printed } from "../src/hypervisor/kvm/features.js";

const options = [
  "machine",
  "netdev",
  "display",
  "qmp",
  "uuid",
  "spice",
  "runas",
  "chroot",
  "no-acpi",
];

export const qemu72: Printed = {
  help: [
    "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)",
    ...options.map((name) => `-${name} text`),
    "-blockdev [driver=]driver[,node-name=N][,discard=ignore|unmap]",
    "          [,read-only=on|off][,auto-read-only=on|off]",
    "-drive [file=file][,if=type][,bus=n][,unit=m][,media=d][,index=i]",
    "       [,snapshot=on|off][,rerror=ignore|stop|report]",
    "-netdev tap,id=str[,fd=h][,fds=x:y:...:z][,ifname=name][,script=file]",
    "         [,sndbuf=nbytes][,vnet_hdr=on|off][,vhost=on|off][,vhostfd=h]",
  ].join("\n"),
  machines: [
    "Supported machines are:",
    "microvm              microvm (i386)",
    "pc                   Standard PC (i440FX + PIIX, 1996) (alias of pc-i440fx-7.2)",
    "pc-i440fx-7.2        Standard PC (i440FX + PIIX, 1996) (default)",
    "none                 empty machine",
  ].join("\n"),
  devices: [
    'name "virtio-blk-pci", bus PCI',
    'name "virtio-net-pci", bus PCI, desc "a NIC"',
    'name "scsi-hd", bus SCSI',
  ].join("\n"),
};

/** A version without vhost, queues and later options; it marks the boot drive. */
export const olderQemu: Printed = {
  help: [
    "QEMU emulator version 1.7",
    "-machine x",
    "-soundhw c1,...",
    "-drive [file=file][,if=type]",
    "       [,boot=on|off]",
    "-netdev tap,id=str[,fd=h][,ifname=name]",
  ].join("\n"),
  machines: "pc-1.0  Standard PC",
  devices: "",
};

/** A version after 9.1, without old options. */
export const newerQemu: Printed = {
  ...qemu72,
  help: qemu72.help
    .replace("7.2.22", "9.2.0")
    .split("\n")
    .filter((line) => !/^-(runas|chroot|no-acpi)/.test(line))
    .join("\n"),
};
