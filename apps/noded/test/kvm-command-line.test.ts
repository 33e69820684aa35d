import { join } from "node:path";
import type { InstanceOnNode, NicOnNode } from "@ganeti-ts/node-calls";
import { describe, expect, test } from "vitest";
import { type MachineInput, machineWords } from "../src/hypervisor/kvm/command-line.js";
import { featuresOf, type Printed } from "../src/hypervisor/kvm/features.js";
import { checkSocketPaths, kvmFiles } from "../src/hypervisor/kvm/files.js";
import { newRuntime } from "../src/hypervisor/kvm/runtime.js";
import { type StartInput, startWords } from "../src/hypervisor/kvm/start-words.js";
import { nodePaths } from "../src/machine/paths.js";
import { newerQemu, olderQemu, qemu72 } from "./kvm-printed.js";
import { hvparams, machine } from "./machine-namespace.js";

const disk = (uuid: string, change: object = {}): InstanceOnNode["disks"][number] => ({
  ...{ uuid: `${uuid}-2222-3333-4444-555555555555`, dev_type: "file", mode: "rw", size: 64 },
  ...{ logical_id: ["loop", `/srv/${uuid}`], ...change },
});
const nic = (name?: string): NicOnNode => ({
  uuid: "99999999-8888-7777-6666-555555555555",
  mac: "aa:00:00:11:22:33",
  nicparams: { mode: "bridged", link: "br0", vlan: "" },
  name,
});

interface Case {
  readonly instance?: Partial<InstanceOnNode>;
  readonly params?: InstanceOnNode["hvparams"];
  readonly program?: Printed;
  readonly start?: Partial<StartInput>;
  readonly isPaused?: boolean;
  readonly accelerator?: "kvm" | "tcg";
  readonly vncAddress?: string;
  readonly spiceAddress?: MachineInput["spiceAddress"];
}

/** The whole command line, a word per line. */
function commandLine(given: Case): string {
  const name = "inst1.example.com";
  const instance = machine({ name, ...given.instance, hvparams: given.params ?? {} });
  const paths = nodePaths();
  const files = kvmFiles({ paths }).of(name);
  const features = featuresOf(given.program ?? qemu72);
  const words = machineWords({
    ...{ instance, features, files, data: paths.data },
    accelerator: given.accelerator ?? null,
    isPaused: given.isPaused ?? false,
    vncAddress: given.vncAddress ?? null,
    spiceAddress: given.spiceAddress ?? null,
  });
  const links = instance.disks.map((one, index) => ({
    disk: one,
    link: `/var/run/ganeti/instance-disks/${name}:${index}`,
    uri: null,
  }));
  const runtime = newRuntime(words, instance, links);
  const taps = instance.nics.map((_, index) => `tap${index}`);
  const own = { incoming: null, user: null, ...given.start };
  const start = {
    runtime,
    hvparams: instance.hvparams,
    features,
    files,
    taps,
    hasVhost: true,
    ...own,
  };
  return `${startWords(start).join("\n")}\n`;
}

const scsi = { disk_type: "scsi-hd", scsi_controller_type: "virtio-scsi-pci" };
const vnc = { vnc_bind_address: "0.0.0.0" };
const spice = { spice_bind: "127.0.0.1", spice_use_vdagent: true };

const cases: readonly (readonly [string, Case])[] = [
  [
    "two-disks-one-nic",
    { instance: { disks: [disk("11111110"), disk("11111111")], nics: [nic()] } },
  ],
  ["diskless", {}],
  ["scsi", { instance: { disks: [disk("1"), disk("2")] }, params: scsi }],
  [
    "ide-e1000",
    {
      instance: { disks: [disk("1")], nics: [nic()] },
      params: { disk_type: "ide", nic_type: "e1000" },
    },
  ],
  [
    "cdrom",
    {
      params: {
        boot_order: "cdrom",
        cdrom_image_path: "/srv/a.iso",
        cdrom2_image_path: "http://198.51.100.1/b.iso",
        cdrom_disk_type: "scsi",
      },
    },
  ],
  [
    "floppy-older",
    {
      instance: { disks: [disk("1")] },
      program: olderQemu,
      params: { boot_order: "floppy", floppy_image_path: "/srv/f.img", soundhw: "ac97" },
    },
  ],
  ["older-disk", { instance: { disks: [disk("1")] }, program: olderQemu }],
  ["network", { instance: { nics: [nic()] }, params: { boot_order: "network" } }],
  [
    "kernel",
    {
      instance: { disks: [disk("1")] },
      params: {
        kernel_path: "/boot/vmlinuz",
        initrd_path: "/boot/initrd",
        root_path: "/dev/vda1",
        kernel_args: "ro",
      },
    },
  ],
  [
    "vnc-tls",
    {
      instance: { network_port: 11003 },
      params: {
        ...vnc,
        vnc_tls: true,
        vnc_x509_path: "/etc/x509",
        vnc_x509_verify: true,
        vnc_password_file: "/etc/p",
      },
      vncAddress: "0.0.0.0",
    },
  ],
  [
    "vnc-ipv6",
    {
      instance: { network_port: 11003 },
      params: { ...vnc, vnc_tls: true, usb_mouse: "mouse" },
      vncAddress: "2001:db8::1",
    },
  ],
  ["vnc-low-port", { instance: { network_port: 5900 }, params: vnc, vncAddress: "192.0.2.1" }],
  ["vnc-path", { instance: { network_port: 11003 }, params: vnc, vncAddress: "/srv/vnc" }],
  [
    "spice",
    {
      instance: { network_port: 11003 },
      params: spice,
      spiceAddress: { address: "127.0.0.1", ipVersion: null },
    },
  ],
  [
    "spice-tls",
    {
      instance: { network_port: 11003 },
      params: {
        ...spice,
        spice_use_vdagent: false,
        spice_use_tls: true,
        spice_tls_ciphers: "HIGH",
        spice_ip_version: 4,
        spice_password_file: "/etc/p",
        spice_image_compression: "quic",
        spice_jpeg_wan_compression: "auto",
        spice_zlib_glz_wan_compression: "never",
        spice_streaming_video: "filter",
        spice_playback_compression: false,
        vga: "std",
      },
      spiceAddress: { address: "127.0.0.1", ipVersion: 4 },
    },
  ],
  [
    "everything",
    {
      isPaused: true,
      accelerator: "kvm",
      params: {
        acpi: false,
        reboot_behavior: "exit",
        cpu_cores: 2,
        cpu_sockets: 1,
        machine_version: "pc",
        mem_path: "/hugepages",
        serial_console: false,
        use_localtime: true,
        use_chroot: true,
        cpu_type: "host",
        vga: "std",
        usb_devices: "tablet,mouse",
        use_guest_agent: true,
        kvm_extra: "-name x -k de",
        keymap: "de",
      },
    },
  ],
  [
    "newer",
    {
      program: newerQemu,
      accelerator: "tcg",
      params: { acpi: false, use_chroot: true, soundhw: "hda" },
      start: { user: { name: "kvm1", isFromPool: true } },
    },
  ],
  ["user", { start: { user: { name: "nobody", isFromPool: false } }, params: { keymap: "de" } }],
  [
    "incoming",
    { instance: { disks: [disk("1")] }, start: { incoming: { address: "192.0.2.2", port: 8102 } } },
  ],
  [
    "queues",
    {
      instance: { nics: [nic()] },
      params: { vhost_net: true, virtio_net_queues: 4, vnet_hdr: false },
    },
  ],
  [
    "caches",
    {
      instance: { disks: [disk("1", { dev_type: "sharedfile" }), disk("2")] },
      params: { disk_cache: "writeback", disk_discard: "unmap" },
    },
  ],
  [
    "native-aio",
    { instance: { disks: [disk("1")] }, params: { disk_aio: "native", disk_cache: "none" } },
  ],
];

test.each(cases)(
  "the command line of the case %s is that of its golden file",
  async (name, given) => {
    const golden = join(import.meta.dirname, "golden/kvm", `${name}.txt`);
    await expect(commandLine(given)).toMatchFileSnapshot(golden);
  },
);

test("a NIC keeps its number of queues, which the guest sees, even if the node has no vhost", () => {
  const params = { vhost_net: true, virtio_net_queues: 4 };
  const words = commandLine({ instance: { nics: [nic()] }, params, start: { hasVhost: false } });
  expect(words).not.toContain("vhost=");
  expect(words).toMatch(/^type=tap,.*,queues=4$/m);
  expect(words).toContain("mq=on");
});

describe("what the program or the node cannot do", () => {
  const nics = { instance: { nics: [nic()] }, program: olderQemu };
  test.each<readonly [string, Case]>([
    ["vhost_net is configured but it is not available", { ...nics, params: { vhost_net: true } }],
    [
      "virtio_net_queues is configured but it is not available",
      {
        ...nics,
        program: { ...qemu72, help: qemu72.help.replace("fds=x:y:...:z", "") },
        params: { vhost_net: true, virtio_net_queues: 2 },
      },
    ],
    [
      "Instance has read-only disks which are not supported by KVM",
      { instance: { disks: [disk("1", { mode: "ro" })] } },
    ],
    [
      "All slots occupied",
      { instance: { disks: Array.from({ length: 21 }, (_, at) => disk(`${at}`)) } },
    ],
  ])("is refused: %s", (text, given) => {
    expect(() => commandLine(given)).toThrow(text);
  });

  test("a name whose sockets would have too long a path is refused with both lengths", () => {
    const files = kvmFiles({ paths: nodePaths("/srv/vcluster/node1.example.com") });
    expect(() => checkSocketPaths(files.of("x".repeat(40)))).toThrow(
      /has 115 bytes.* limit is 107/,
    );
    expect(() =>
      checkSocketPaths(kvmFiles({ paths: nodePaths() }).of("x".repeat(60))),
    ).not.toThrow();
  });
});

test("20 disks and the memory are in the positions that the specification requires", () => {
  const disks = Array.from({ length: 20 }, (_, at) => disk(`${at}`));
  expect(commandLine({ instance: { disks } })).toContain("addr=0x1f,");
  expect(hvparams.kvm_pci_reservations).toBe(12);
});
