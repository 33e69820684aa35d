/** Changes of memory, processors and hypervisor parameters while an instance runs: QEMU stays as it was started, or follows. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { type Action, modification, modify } from "./action.js";
import { otherBridge, type Qemu } from "./action-cluster.js";
import { firstSizeMib } from "./device-actions.js";

const memory = ({ memoryMib }: Qemu) => memoryMib;
const after = (words: readonly string[], option: string) => words[words.indexOf(option) + 1];
const processors = ({ vcpus, words }: Qemu) => [vcpus, after(words, "-smp")];
const started = ({ words, memoryMib }: Qemu) => [after(words, "-m"), memoryMib];
const same = ["128", 128];

/** A row: what is asked, before and after. */
const row = (
  title: string,
  changes: JsonObject,
  [asks, before, after]: readonly [Action["asks"], unknown, unknown],
  more: Partial<Action> = {},
): Action => ({ title, ...modify(changes), asks, before, after, ...more });

export const sizeActions: readonly Action[] = [
  row("memory is taken from the guest", { runtime_mem: 100 }, [memory, 128, 100], {
    isQuick: true,
  }),
  row("memory is given back", { runtime_mem: 120 }, [memory, 100, 120], {
    given: [modification({ runtime_mem: 100 })],
  }),
  row("memory above the maximum is not given", { runtime_mem: 160 }, [memory, 128, 128], {
    refused: "must have memory between 96 and 128",
  }),
  row("a larger maximum waits for the next start", { beparams: { maxmem: 160 } }, [
    started,
    same,
    same,
  ]),
  row("a smaller maximum waits for the next start", { beparams: { maxmem: 112, minmem: 80 } }, [
    started,
    same,
    same,
  ]),
  row("more processors wait for the next start", { beparams: { vcpus: 3 } }, [
    processors,
    [2, "2"],
    [2, "2"],
  ]),
  row("fewer processors wait for the next start", { beparams: { vcpus: 1 } }, [
    processors,
    [2, "2"],
    [2, "2"],
  ]),
];

/** Drivers of NICs and number of disks. */
const devices = ({ nics, disks }: Qemu) => [...nics.map(({ model }) => model), disks.length];
const more: JsonObject = {
  disks: [["add", -1, { size: 32 }]],
  nics: [["add", -1, { mac: "aa:00:00:00:00:02" }]],
};
const virtio = "virtio-net-pci";
/** A file without a system, on each node. */
const iso = "/srv/image";

const asUser = { security_model: "user", security_domain: "nobody" };

/**
 * Values that wait for the next start. The machine that runs gets a disk and a NIC of the kind with which it was started, and
 * the target of its migration is the same machine.
 */
const waiting: Readonly<Record<string, JsonObject>> = {
  "the boot medium": {
    boot_order: "network",
    cdrom_image_path: iso,
    cdrom2_image_path: iso,
    cdrom_disk_type: "ide",
    floppy_image_path: iso,
  },
  "a kernel of the node": {
    kernel_path: iso,
    initrd_path: iso,
    kernel_args: "rw",
    root_path: "/dev/sda1",
  },
  "the type of processors": { cpu_type: "max", cpu_cores: 1, cpu_threads: 1, cpu_sockets: 3 },
  "masks of processors": { cpu_mask: "0:1" },
  "a VNC display": {
    vnc_bind_address: "127.0.0.1",
    vnc_password_file: "/etc/ganeti/vnc-password",
    keymap: "de",
  },
  "the password file of a display that it does not have": {
    vnc_password_file: "/etc/ganeti/vnc-password",
  },
  "a display over TLS": {
    vnc_bind_address: "127.0.0.1",
    vnc_tls: true,
    vnc_x509_path: "/etc/ganeti",
    vnc_x509_verify: true,
  },
  "a SPICE display": {
    spice_bind: "127.0.0.1",
    spice_use_vdagent: false,
    spice_image_compression: "off",
    spice_streaming_video: "off",
    spice_playback_compression: false,
  },
  "the bus of disks": { disk_type: "scsi-hd", scsi_controller_type: "virtio-scsi-pci" },
  "the way of writing to disks": { disk_cache: "none", disk_aio: "native", disk_discard: "unmap" },
  "the driver of NICs": { nic_type: "e1000" },
  "the queues of NICs": { virtio_net_queues: 2, vhost_net: true, vnet_hdr: false },
  "the user of the process": asUser,
  "a user of the pool": { security_model: "pool" },
  "a chroot": { use_chroot: true },
  "the machine's version and graphics": {
    machine_version: "pc-i440fx-7.1",
    vga: "std",
    soundhw: "ac97",
  },
  "memory in a file system": { mem_path: "/dev/shm" },
  "the accelerator": { kvm_flag: "enabled", kvm_extra: "-device no-such-device" },
  "input devices": {
    usb_mouse: "mouse",
    usb_devices: "tablet",
    use_localtime: true,
    use_guest_agent: true,
  },
  "slots for devices": { kvm_pci_reservations: 20 },
  "power and consoles": {
    acpi: false,
    serial_console: false,
    serial_speed: 9600,
    reboot_behavior: "exit",
    user_shutdown: true,
  },
};

/** Values that the migration itself follows. */
const followed: Readonly<Record<string, JsonObject>> = {
  "the pause of the migration": { migration_downtime: 100 },
  "capabilities of the migration": { migration_caps: "xbzrle:auto-converge" },
};

/** Values of the whole cluster. */
const global: JsonObject = {
  migration_port: 8103,
  migration_bandwidth: 64,
  migration_mode: "live",
};
const fixed = Object.entries(global).map(([name, value]) =>
  row(
    `${name} may not change`,
    { hvparams: { [name]: value } },
    [devices, [virtio, 1], [virtio, 1]],
    {
      ...{ refused: "are global and cannot be customized", stays: true },
    },
  ),
);

export const hypervisorActions: readonly Action[] = [
  ...Object.entries({ ...waiting, ...followed }).map(([title, hvparams]) =>
    row(`${title} may change`, more, [devices, [virtio, 1], [virtio, virtio, 2]], {
      given: [modification({ hvparams })],
    }),
  ),
  ...fixed,
];

/** A start with parameters that its words must have; then the machine gets devices, the parameters go, and it is migrated. */
const start = (
  title: string,
  hvparams: JsonObject,
  words: readonly RegExp[],
  { driver = virtio, changes = more }: { driver?: string; changes?: JsonObject } = {},
): Action => {
  const defaults = Object.fromEntries(Object.keys(hvparams).map((name) => [name, "default"]));
  const found = (qemu: Qemu) => words.filter((word) => word.test(qemu.words.join(" ")));
  return {
    title: `${title}, which then go`,
    start: hvparams,
    ...modify({ ...changes, hvparams: defaults }),
    asks: (qemu) => [found(qemu), ...devices(qemu)],
    before: [words, driver, 1],
    after: [words, ...(changes.nics ? [driver, driver] : [driver]), changes.disks ? 2 : 1],
  };
};

/** The disk and the NIC beside the first ones: what the disk keeps, whether the NIC reaches its node, and what they are. */
const tried = [
  'D=$(ls /sys/block | grep "vd[^a]") N=$(ls /sys/class/net | grep "eth[^0]")',
  "echo kept | dd of=/dev/$D conv=fsync 2> /dev/null",
  // Down, because after a migration another machine has the address that is known.
  `ifconfig $N down; ifconfig $N 198.51.100.9; ping -c 3 ${otherBridge} > /dev/null`,
  "echo $? $(head -c 4 /dev/$D) $(cat /sys/block/$D/size /sys/class/net/$N/address)",
].join("; ");

/** A machine that has given up its rights gets a disk and a NIC while it runs, and then others in place of them. */
const confined = (title: string, hvparams: JsonObject, word: RegExp): Action => {
  const gone = ["remove", 1, {}];
  const nic = (digit: number) => ["add", -1, { mac: `aa:00:00:00:00:0${digit}`, link: "br1" }];
  const disk = (size: number) => ["add", -1, { size }];
  const macs = (digit: number) => ["br0 1", `br1 ${digit}`];
  return {
    title: `${title}, and its devices come and go`,
    start: hvparams,
    given: [modification({ disks: [disk(32)], nics: [nic(2)] })],
    ...modify({ disks: [gone, disk(48)], nics: [gone, nic(3)] }),
    asks: ({ words, disks, nics }) => [
      ...[word.test(words.join(" ")), disks.map(({ sizeMib }) => sizeMib)],
      nics.map(({ mac, bridge }) => `${bridge} ${mac.slice(-1)}`),
    ],
    before: [true, [firstSizeMib, 32], macs(2)],
    after: [true, [firstSizeMib, 48], macs(3)],
    guest: [tried, "0 kept 98304 aa:00:00:00:00:03"],
  };
};

/** A machine without ACPI gets no devices while it runs. */
export const startActions: readonly Action[] = [
  start(
    "it starts with a VNC display and its password",
    { vnc_bind_address: "127.0.0.1", vnc_password_file: "/etc/ganeti/vnc-password" },
    [/-vnc 127.0.0.1:\d+,password/, /-usbdevice tablet/],
  ),
  start("it starts with a VNC display over TLS", { vnc_bind_address: "127.0.0.1", vnc_tls: true }, [
    /-vnc 127.0.0.1:\d+,tls-creds=vnctls0/,
  ]),
  start(
    "it starts with CPUs of a type",
    { cpu_type: "qemu64", cpu_sockets: 2, cpu_cores: 1, cpu_threads: 1 },
    [/-cpu qemu64/, /-smp 2,cores=1,threads=1,sockets=2/],
  ),
  start(
    "it starts with disks on a SCSI controller",
    { disk_type: "scsi-hd", scsi_controller_type: "virtio-scsi-pci" },
    [/-device virtio-scsi-pci,id=scsi/, /scsi-hd,id=disk/],
  ),

  start(
    "it starts with disks that are written natively",
    { disk_aio: "native", disk_cache: "none", disk_discard: "unmap" },
    [/aio=native,cache=none,discard=unmap/],
  ),
  start("it starts with NICs of another driver", { nic_type: "e1000" }, [/-device e1000,/], {
    driver: "e1000",
  }),
  start("it starts with NICs without offloading", { vnet_hdr: false }, [/vnet_hdr=off/]),
  confined("it starts as a user", asUser, /-runas nobody/),
  confined("it starts in a chroot", { use_chroot: true }, /chroot/),
  confined("it starts as a user in a chroot", { ...asUser, use_chroot: true }, /-runas nobody/),
  start("it starts with a guest agent", { use_guest_agent: true, use_localtime: true }, [
    /org.qemu.guest_agent.0/,
    /-rtc base=localtime/,
  ]),
  start(
    "it starts with sound, graphics and USB",
    { soundhw: "ac97", vga: "std", usb_mouse: "mouse", usb_devices: "tablet" },
    [/AC97/, /-vga std/, /-usbdevice mouse/, /-usbdevice tablet/],
  ),
  start("it starts with memory in a file system", { mem_path: "/dev/shm" }, [
    /-mem-path \/dev\/shm/,
  ]),
  start(
    "it starts with more words",
    { kvm_extra: "-rtc clock=vm", machine_version: "pc-i440fx-7.1" },
    [/-rtc clock=vm/, /-machine pc-i440fx-7.1/],
  ),
  start("it starts with many reserved slots", { kvm_pci_reservations: 20 }, [/addr=0x14/]),
  start(
    "it starts without ACPI and serial console",
    { acpi: false, serial_console: false, reboot_behavior: "exit" },
    [/acpi=off|-no-acpi/, /-serial none/, /-no-reboot/],
    { changes: {} },
  ),
  start("it starts with masks of its processors", { cpu_mask: "0:1" }, [/-smp 2/]),
  start(
    "it starts with media",
    { cdrom_image_path: iso, cdrom_disk_type: "ide", boot_order: "cdrom" },
    [/media=cdrom/, /-boot d/],
  ),
];
