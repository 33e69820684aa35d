/** Query fields for single parameters: `be/vcpus`, `hv/kernel_path`, `ndp/oob_program`. */
import type { Snapshot } from "@ganeti-ts/config";
import type { FieldKind } from "@ganeti-ts/query";
import { type Field, optionalField } from "./field.js";

type Parameters = Readonly<Record<string, unknown>>;

/** Parameter names, with kinds other than text, and special titles. */
interface Family {
  readonly prefix: string;
  /** Name in descriptions: The "vcpus" *backend* parameter. */
  readonly called: string;
  readonly kinds: Readonly<Record<string, FieldKind>>;
  readonly titles: Readonly<Record<string, string>>;
  /** Status for a parameter that the object does not have. */
  readonly absent: "unavailable" | "noData";
}

/** One field per parameter; `filled` returns the filled parameters of an item. */
function parameterFields<Item>(
  family: Family,
  filled: (item: Item, now: Snapshot) => Parameters | undefined,
): Field<Item>[] {
  return Object.entries(family.kinds).map(([name, kind]) => {
    const fullName = `${family.prefix}/${name}`;
    return optionalField<Item>(
      [fullName, family.titles[name] ?? fullName, kind, `The "${name}" ${family.called} parameter`],
      family.absent,
      (item, now) => filled(item, now)?.[name],
    );
  });
}

export const backendFields = <Item>(
  filled: (item: Item, now: Snapshot) => Parameters | undefined,
): Field<Item>[] => parameterFields(backend, filled);

export const hypervisorFields = <Item>(
  filled: (item: Item, now: Snapshot) => Parameters | undefined,
): Field<Item>[] => parameterFields(hypervisor, filled);

export const nodeParameterFields = <Item>(
  filled: (item: Item, now: Snapshot) => Parameters | undefined,
): Field<Item>[] => parameterFields(node, filled);

const backend: Family = {
  prefix: "be",
  called: "backend",
  absent: "noData",
  kinds: {
    always_failover: "bool",
    auto_balance: "bool",
    maxmem: "unit",
    minmem: "unit",
    spindle_use: "number",
    vcpus: "number",
  },
  titles: {
    auto_balance: "Auto_balance",
    minmem: "ConfigMinMem",
    vcpus: "ConfigVCPUs",
    maxmem: "ConfigMaxMem",
  },
};

const node: Family = {
  prefix: "ndp",
  called: "node",
  absent: "noData",
  kinds: {
    cpu_speed: "float",
    exclusive_storage: "bool",
    oob_program: "other",
    ovs: "bool",
    ovs_link: "other",
    ovs_name: "other",
    spindle_count: "number",
    ssh_port: "number",
  },
  titles: {
    exclusive_storage: "ExclusiveStorage",
    oob_program: "OutOfBandProgram",
    ovs: "OpenvSwitch",
    ovs_link: "OpenvSwitchLink",
    ovs_name: "OpenvSwitchName",
    spindle_count: "SpindleCount",
  },
};

const named = (kind: FieldKind, names: string): Record<string, FieldKind> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, kind]));

const hypervisor: Family = {
  prefix: "hv",
  called: "hypervisor",
  absent: "unavailable",
  kinds: {
    ...named(
      "bool",
      `acpi pae serial_console spice_playback_compression spice_use_tls spice_use_vdagent
      use_bootloader use_chroot use_guest_agent use_localtime user_shutdown vhost_net viridian
      vnc_tls vnc_x509_verify vnet_hdr`,
    ),
    ...named(
      "number",
      `cpu_cap cpu_cores cpu_sockets cpu_threads cpu_weight kvm_pci_reservations
      migration_downtime num_ttys serial_speed spice_ip_version startup_timeout virtio_net_queues`,
    ),
    ...named(
      "other",
      `blockdev_prefix boot_order bootloader_args bootloader_path cdrom2_image_path
      cdrom_disk_type cdrom_image_path cpu_mask cpu_type cpuid device_model devices disk_aio
      disk_cache disk_discard disk_type drop_capabilities extra_cgroups extra_config
      floppy_image_path init_script initrd_path kernel_args kernel_path keymap kvm_extra kvm_flag
      kvm_path machine_version mem_path migration_caps nic_type pci_pass reboot_behavior root_path
      scsi_controller_type security_domain security_model soundhw spice_bind
      spice_image_compression spice_jpeg_wan_compression spice_password_file
      spice_streaming_video spice_tls_ciphers spice_zlib_glz_wan_compression usb_devices
      usb_mouse vga vif_script vif_type vnc_bind_address vnc_password_file vnc_x509_path`,
    ),
  },
  titles: {
    acpi: "ACPI",
    boot_order: "Boot_order",
    cdrom_image_path: "CDROM_image_path",
    cpu_type: "cpu_type",
    disk_type: "Disk_type",
    initrd_path: "Initrd_path",
    kernel_path: "Kernel_path",
    nic_type: "NIC_type",
    pae: "PAE",
    pci_pass: "pci_pass",
    vnc_bind_address: "VNC_bind_address",
  },
};
