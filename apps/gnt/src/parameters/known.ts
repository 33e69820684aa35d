/** Known parameters and their types. */
import type { ParameterType } from "./typed.js";

type Types = Readonly<Record<string, ParameterType>>;

/** Backend parameters; `memory` is the old name of `minmem` and `maxmem` together. */
export const backendTypes: Types = {
  maxmem: "size",
  minmem: "size",
  memory: "size",
  vcpus: "integer",
  spindle_use: "integer",
  auto_balance: "boolean",
  always_failover: "boolean",
};

/** NIC parameters. */
export const nicTypes: Types = {
  mac: "text",
  link: "text",
  mode: "text",
  ip: "text-or-none",
  bridge: "text-or-none",
  vlan: "text-or-none",
  name: "text-or-none",
  network: "text-or-none",
};

const named = (type: ParameterType, names: string): Types =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, type]));

/** Parameters of all hypervisors. */
export const hypervisorTypes: Types = {
  ...named(
    "boolean",
    `acpi pae serial_console spice_playback_compression spice_use_tls spice_use_vdagent
    use_bootloader use_chroot use_guest_agent use_localtime user_shutdown vhost_net viridian vnc_tls
    vnc_x509_verify vnet_hdr`,
  ),
  ...named(
    "integer",
    `cpu_cap cpu_cores cpu_sockets cpu_threads cpu_weight kvm_pci_reservations migration_bandwidth
    migration_downtime migration_port num_ttys serial_speed spice_ip_version startup_timeout
    virtio_net_queues`,
  ),
  ...named(
    "text",
    `blockdev_prefix boot_order bootloader_args bootloader_path cdrom2_image_path cdrom_disk_type
    cdrom_image_path cpu_mask cpu_type cpuid device_model devices disk_aio disk_cache disk_discard
    disk_type drop_capabilities extra_cgroups extra_config floppy_image_path init_script initrd_path
    kernel_args kernel_path keymap kvm_extra kvm_flag kvm_path machine_version mem_path
    migration_caps migration_mode nic_type pci_pass reboot_behavior scsi_controller_type
    security_domain security_model soundhw spice_bind spice_image_compression
    spice_jpeg_wan_compression spice_password_file spice_streaming_video spice_tls_ciphers
    spice_zlib_glz_wan_compression usb_devices usb_mouse vga vif_script vif_type vnc_bind_address
    vnc_password_file vnc_x509_path xen_cmd`,
  ),
  root_path: "text-or-none",
};
