/** Default values of all parameter families, for new clusters and for upgrades of older ones. */
import type {
  Beparams,
  ClusterPolicy,
  Diskparams,
  DiskTemplate,
  Hypervisor,
  Ndparams,
  Nicparams,
  Parameters,
} from "@ganeti-ts/protocol";

/** Version of the format written: Ganeti 3.0's; 3.1 has the same format. */
export const configVersion = 3_000_000;

/** Backend parameters of a new cluster. */
export const defaultBeparams: Beparams = {
  maxmem: 128,
  minmem: 128,
  vcpus: 1,
  auto_balance: true,
  always_failover: false,
  spindle_use: 1,
};

/** NIC parameters of a new cluster. */
export const defaultNicparams: Nicparams = { mode: "bridged", link: "xen-br0", vlan: "" };

/** Node parameters of a new cluster. */
export const defaultNdparams: Ndparams = {
  oob_program: "",
  spindle_count: 1,
  exclusive_storage: false,
  ovs: false,
  ovs_name: "switch1",
  ovs_link: "",
  ssh_port: 22,
  cpu_speed: 1,
};

/** Disk parameters of a new cluster, by disk template. */
export const defaultDiskparams = {
  blockdev: {},
  diskless: {},
  drbd: {
    "resync-rate": 61440,
    "data-stripes": 1,
    "meta-stripes": 1,
    "disk-barriers": "n",
    "disk-custom": "",
    "meta-barriers": false,
    metavg: "xenvg",
    "net-custom": "",
    protocol: "C",
    "dynamic-resync": false,
    "c-plan-ahead": 20,
    "c-fill-target": 0,
    "c-delay-target": 1,
    "c-max-rate": 61440,
    "c-min-rate": 4096,
  },
  ext: { access: "kernelspace" },
  file: {},
  gluster: { access: "kernelspace", host: "127.0.0.1", volume: "gv0", port: 24007 },
  plain: { stripes: 1, stripe_size: 0 },
  rbd: { access: "kernelspace", pool: "rbd", "user-id": "" },
  sharedfile: {},
} as const satisfies Record<DiskTemplate, Parameters> & Diskparams;

/** Instance policy of a new cluster with these disk templates. */
export const defaultPolicy = (templates: readonly DiskTemplate[]): ClusterPolicy => ({
  minmax: [
    {
      min: {
        "memory-size": 128,
        "disk-size": 1024,
        "disk-count": 1,
        "cpu-count": 1,
        "nic-count": 1,
        "spindle-use": 1,
      },
      max: {
        "memory-size": 32768,
        "disk-size": 1048576,
        "disk-count": 16,
        "cpu-count": 8,
        "nic-count": 8,
        "spindle-use": 12,
      },
    },
  ],
  std: {
    "memory-size": 128,
    "disk-size": 1024,
    "disk-count": 1,
    "cpu-count": 1,
    "nic-count": 1,
    "spindle-use": 1,
  },
  "disk-templates": [...templates],
  "vcpu-ratio": 4,
  "spindle-ratio": 32,
});

export const defaultDataCollectors = Object.fromEntries(
  ["cpu-avg-load", "xen-cpu-avg-load", "diskstats", "drbd", "lv", "inst-status-xen"].map(
    (name) => [name, { active: true, interval: 5_000_000 }] as const,
  ),
);

/** Ports of consoles and drbd disks are in this range. */
export const portFirst = 11_000;
export const portLast = 14_999;

/** Hypervisor parameters of a new cluster, by hypervisor. */
export const defaultHvparams: Readonly<Record<Hypervisor, Parameters>> = {
  kvm: {
    kvm_path: "/usr/bin/kvm",
    kernel_path: "",
    initrd_path: "",
    kernel_args: "ro",
    root_path: "/dev/vda1",
    acpi: true,
    serial_console: true,
    serial_speed: 38400,
    vnc_bind_address: "",
    vnc_tls: false,
    vnc_x509_path: "",
    vnc_x509_verify: false,
    vnc_password_file: "",
    boot_order: "disk",
    nic_type: "paravirtual",
    disk_type: "paravirtual",
    cdrom_image_path: "",
    cdrom2_image_path: "",
    cdrom_disk_type: "",
    floppy_image_path: "",
    disk_aio: "threads",
    disk_cache: "default",
    disk_discard: "ignore",
    scsi_controller_type: "lsi",
    kvm_pci_reservations: 12,
    usb_mouse: "",
    usb_devices: "",
    keymap: "",
    migration_port: 8102,
    migration_bandwidth: 32,
    migration_downtime: 30,
    migration_mode: "live",
    migration_caps: "",
    use_guest_agent: false,
    use_localtime: false,
    security_model: "none",
    security_domain: "",
    kvm_flag: "",
    vhost_net: true,
    virtio_net_queues: 1,
    vnet_hdr: true,
    use_chroot: false,
    user_shutdown: false,
    mem_path: "",
    reboot_behavior: "reboot",
    cpu_mask: "all",
    cpu_type: "",
    cpu_cores: 0,
    cpu_threads: 0,
    cpu_sockets: 0,
    soundhw: "",
    vga: "",
    kvm_extra: "",
    machine_version: "",
    spice_bind: "",
    spice_ip_version: 0,
    spice_password_file: "",
    spice_image_compression: "",
    spice_jpeg_wan_compression: "",
    spice_zlib_glz_wan_compression: "",
    spice_streaming_video: "",
    spice_playback_compression: true,
    spice_use_tls: false,
    spice_tls_ciphers: "HIGH:-DES:-3DES:-EXPORT:-DH",
    spice_use_vdagent: true,
  },
  "xen-pvm": {
    use_bootloader: false,
    bootloader_path: "",
    bootloader_args: "",
    kernel_path: "/boot/vmlinuz-3-xenU",
    initrd_path: "",
    root_path: "/dev/xvda1",
    kernel_args: "ro",
    migration_port: 8002,
    migration_mode: "live",
    blockdev_prefix: "sd",
    reboot_behavior: "reboot",
    cpu_mask: "all",
    cpu_cap: 0,
    cpu_weight: 256,
    vif_script: "",
    cpuid: "",
    soundhw: "",
  },
  "xen-hvm": {
    boot_order: "cd",
    cdrom_image_path: "",
    nic_type: "rtl8139",
    disk_type: "paravirtual",
    vnc_bind_address: "0.0.0.0",
    vnc_password_file: "/etc/ganeti/vnc-cluster-password",
    acpi: true,
    pae: true,
    kernel_path: "/usr/lib/xen/boot/hvmloader",
    device_model: "/usr/lib/xen/bin/qemu-dm",
    migration_port: 8002,
    migration_mode: "non-live",
    use_localtime: false,
    blockdev_prefix: "hd",
    pci_pass: "",
    reboot_behavior: "reboot",
    cpu_mask: "all",
    cpu_cap: 0,
    cpu_weight: 256,
    vif_type: "ioemu",
    vif_script: "",
    viridian: false,
    cpuid: "",
    soundhw: "",
  },
  fake: { migration_mode: "live" },
  chroot: { init_script: "/ganeti-chroot" },
  lxc: {
    cpu_mask: "",
    num_ttys: 6,
    startup_timeout: 30,
    extra_cgroups: "",
    extra_config: "",
    devices:
      "c 1:3 rw,c 1:5 rw,c 1:7 rw,c 1:8 rw,c 1:9 rw,c 1:10 rw,c 5:0 rw,c 5:1 rw,c 5:2 rw,c 136:* rw",
    drop_capabilities: "mac_override,sys_boot,sys_module,sys_time,sys_admin",
  },
};
