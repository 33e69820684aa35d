/** Syntax of hypervisor parameters: all checks that need no node. */

import { isIpAddress, type Snapshot } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import type { ForthcomingInstance, Json } from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";

type Values = Readonly<Record<string, Json>>;

/** `may` is called for values that are not empty. */
interface Rule {
  readonly required: boolean;
  readonly may?: (value: Json) => boolean;
  readonly says?: string;
}

const isNormalPath = (value: Json): boolean =>
  typeof value === "string" && /^\/(?!\/)/.test(value) && !/\/\/|\/\.\.?(\/|$)|.\/$/.test(value);
const isUrl = (value: Json): boolean => typeof value === "string" && /^[a-z]+:\/\//.test(value);
const between =
  (low: number, high: number) =>
  (value: Json): boolean =>
    Number(value) >= low && Number(value) <= high;

/** Address family; undefined if the value is not an address. */
function familyOf(value: Json): 4 | 6 | undefined {
  const text = String(value);
  if (!isIpAddress(text)) return undefined;
  return text.includes(":") ? 6 : 4;
}

const path = (required: boolean): Rule => ({
  required,
  may: isNormalPath,
  says: "must be an absolute normalized path",
});
const pathOrUrl: Rule = {
  required: false,
  may: (value) => isNormalPath(value) || isUrl(value),
  says: "must be an absolute normalized path or a URL",
};
const oneOf = (required: boolean, ...values: readonly string[]): Rule => ({
  required,
  may: (value) => values.includes(value as string),
  says: `The value must be one of: ${values.join(", ")}`,
});
const notNegative = (required: boolean): Rule => ({
  required,
  may: between(0, Infinity),
  says: "cannot be negative",
});
const weight = (most: number): Rule => ({
  required: false,
  may: between(1, most),
  says: "invalid weight",
});
const port: Rule = { required: true, may: between(1, 65_534), says: "invalid port number" };
const migrationMode: Rule = {
  required: true,
  may: (value) => value === "live" || value === "non-live",
  says: "invalid migration mode",
};
const rebootBehavior = oneOf(true, "exit", "reboot");
const multiCpuMask: Rule = {
  required: false,
  may: (value) => isMultiCpuMask(String(value)),
  says: "Multiple CPU mask definition is not well-formed",
};

/** `0-2,5:all:1`: a list of CPUs and ranges for each vcpu. */
const isMultiCpuMask = (mask: string): boolean =>
  mask.split(":").every((one) => one === "all" || one === "" || isCpuMask(one));

const isCpuMask = (mask: string): boolean =>
  mask.split(",").every((range) => {
    const [, low, , high = low] = /^(\d+)(-(\d+))?$/.exec(range) ?? [];
    return low !== undefined && Number(low) <= Number(high);
  });

const kvmDisks = ["ide", "mtd", "paravirtual", "pflash", "scsi", "scsi-block", "scsi-cd"];
const kvmDiskTypes = [...kvmDisks, "scsi-generic", "scsi-hd", "sd"];
const nicTypes = ["e1000", "ne2k_isa", "ne2k_pci", "paravirtual", "rtl8139"];
const kvmNicTypes = [...nicTypes, "i82551", "i82557b", "i82559er", "pcnet"].sort();
const lossy = oneOf(false, "always", "auto", "never");

const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  kvm: {
    kvm_path: path(true),
    kernel_path: path(false),
    initrd_path: path(false),
    vnc_x509_path: path(false),
    vnc_password_file: path(false),
    mem_path: path(false),
    spice_password_file: path(false),
    floppy_image_path: path(false),
    cdrom_image_path: pathOrUrl,
    cdrom2_image_path: pathOrUrl,
    spice_ip_version: {
      required: false,
      may: (value) => [0, 4, 6].includes(value as number),
      says: "The SPICE IP version should be 4 or 6",
    },
    spice_image_compression: oneOf(false, "auto_glz", "auto_lz", "glz", "lz", "off", "quic"),
    spice_jpeg_wan_compression: lossy,
    spice_zlib_glz_wan_compression: lossy,
    spice_streaming_video: oneOf(false, "all", "filter", "off"),
    boot_order: oneOf(true, "cdrom", "disk", "floppy", "network"),
    nic_type: oneOf(true, ...kvmNicTypes),
    disk_type: oneOf(true, ...kvmDiskTypes),
    scsi_controller_type: oneOf(true, "lsi", "megasas", "virtio-scsi-pci"),
    disk_discard: oneOf(false, "default", "ignore", "unmap"),
    cdrom_disk_type: oneOf(false, ...kvmDiskTypes),
    disk_aio: oneOf(false, "native", "threads"),
    usb_mouse: oneOf(false, "mouse", "tablet"),
    migration_port: port,
    migration_mode: migrationMode,
    migration_bandwidth: notNegative(true),
    migration_downtime: notNegative(true),
    disk_cache: oneOf(true, "default", "none", "writeback", "writethrough"),
    security_model: oneOf(true, "none", "pool", "user"),
    kvm_flag: oneOf(false, "disabled", "enabled"),
    virtio_net_queues: { required: false, may: between(1, 8), says: "invalid number of queues" },
    reboot_behavior: rebootBehavior,
    cpu_mask: multiCpuMask,
    cpu_cores: notNegative(false),
    cpu_threads: notNegative(false),
    cpu_sockets: notNegative(false),
    kvm_pci_reservations: {
      required: false,
      may: between(0, 32),
      says: "The number of PCI slots managed by QEMU (max: 32)",
    },
  },
  "xen-pvm": {
    bootloader_path: path(false),
    kernel_path: path(true),
    initrd_path: path(false),
    migration_port: port,
    migration_mode: migrationMode,
    reboot_behavior: rebootBehavior,
    cpu_mask: multiCpuMask,
    cpu_cap: notNegative(false),
    cpu_weight: weight(65_535),
    vif_script: path(false),
  },
  "xen-hvm": {
    boot_order: {
      required: true,
      may: (value) => /^[acdn]+$/.test(String(value)),
      says: "Invalid boot order specified, must be one or more of [acdn]",
    },
    cdrom_image_path: path(false),
    kernel_path: path(true),
    device_model: path(true),
    disk_type: oneOf(true, "ioemu", "paravirtual"),
    nic_type: oneOf(true, ...nicTypes),
    vnc_bind_address: {
      required: false,
      may: (value) => familyOf(value) === 4,
      says: "VNC bind address is not a valid IP address",
    },
    vnc_password_file: path(true),
    vif_script: path(false),
    migration_port: port,
    migration_mode: migrationMode,
    reboot_behavior: rebootBehavior,
    cpu_mask: multiCpuMask,
    cpu_weight: weight(65_534),
    vif_type: oneOf(false, "ioemu", "vif"),
  },
  fake: { migration_mode: migrationMode },
  chroot: { init_script: path(true) },
};

/**
 * Checks filled `hvparams`; parameters without a value in a cluster from an older file are skipped.
 * Source: Ganeti, the hypervisors' `CheckParameterSyntax`. @throws OperationError HypervisorError
 */
export function checkHvparamSyntax(hypervisor: string, hvparams: Values): void {
  for (const [name, { required, may, says }] of Object.entries(rules[hypervisor] ?? {})) {
    const value = hvparams[name];
    if (value === undefined) continue;
    if (value === null || value === "") {
      if (required) fail(`Parameter '${name}' is required but is currently not defined`);
      continue;
    }
    if (may !== undefined && !may(value)) {
      fail(`Parameter '${name}' fails syntax check: ${says} (current value: '${value}')`);
    }
  }
  if (hypervisor === "kvm") checkTogether(hvparams);
}

/**
 * Parameters of a reservation, which may leave its hypervisor open: then one enabled hypervisor
 * must accept them.
 */
export function checkReservedHvparams(
  now: Snapshot,
  { hypervisor, os, hvparams = {} }: Pick<ForthcomingInstance, "hypervisor" | "os" | "hvparams">,
): void {
  if (Object.keys(hvparams).length === 0) return;
  const candidates = hypervisor === undefined ? now.cluster.enabled_hypervisors : [hypervisor];
  const faults: unknown[] = [];
  for (const candidate of candidates) {
    const ofOs = os === undefined ? {} : now.cluster.os_hvp[os]?.[candidate];
    const filled = { ...now.cluster.hvparams[candidate], ...ofOs, ...hvparams };
    try {
      checkHvparamSyntax(candidate, filled);
      return;
    } catch (error) {
      faults.push(error);
    }
  }
  throw faults[0];
}

/** A mask of several parts needs one part for each vcpu. @throws PrereqError `wrong_input` */
export function checkCpuMask(vcpus: number, mask: Json | undefined): void {
  if (typeof mask !== "string" || mask === "") return;
  const count = mask.split(":").length;
  if (count === 1 || count === vcpus) return;
  wrongInput(`Number of vCPUs [${vcpus}] does not match the CPU mask [${mask}]`);
}

const serialSpeeds = [
  ...[75, 110, 300, 600, 1200, 1800, 2400, 4800, 9600, 14_400, 19_200, 28_800, 38_400, 57_600],
  ...[115_200, 230_400, 345_600, 460_800],
];
const needSpice = [
  ...["spice_ip_version", "spice_password_file", "spice_image_compression"],
  ...["spice_jpeg_wan_compression", "spice_zlib_glz_wan_compression", "spice_streaming_video"],
  "spice_use_tls",
];

/** Dependencies between parameters of kvm. */
function checkTogether(given: Values): void {
  if (given.boot_order === "cdrom" && !given.cdrom_image_path) {
    fail("Cannot boot from cdrom without an ISO path");
  }
  if (given.kernel_path && !given.root_path) {
    fail("Need a root partition for the instance, if a kernel is defined");
  }
  if (given.security_model === "user" && !given.security_domain) {
    fail("A security domain (user to run kvm as) must be specified");
  }
  if (["none", "pool"].includes(String(given.security_model)) && given.security_domain) {
    fail("Cannot have a security domain when the security model is 'none' or 'pool'");
  }
  if (given.serial_console && !serialSpeeds.includes(Number(given.serial_speed))) {
    fail(`Invalid serial console speed, must be one of: ${serialSpeeds.join(", ")}`);
  }
  if (given.vnc_x509_verify && !given.vnc_x509_path) {
    fail("vnc_x509_path must be defined, if vnc_x509_verify is");
  }
  checkSpice(given);
  if (given.disk_aio === "native" && given.disk_cache !== "none") {
    fail(
      "When 'disk_aio' is set to 'native', the only supported value for 'disk_cache' is 'none'.",
    );
  }
}

function checkSpice(given: Values): void {
  const { spice_bind: bind, spice_ip_version: version } = given;
  if (!bind) {
    const strange = needSpice.find((name) => given[name]);
    if (strange !== undefined) fail(`SPICE: ${strange} requires spice_bind to be set`);
    return;
  }
  if (!version) return;
  for (const family of [4, 6] as const) {
    if (familyOf(bind) === family && version !== family) {
      fail(
        `SPICE: Got an IPv${family} address (${bind}), but the specified IP version is ${version}`,
      );
    }
  }
}

function fail(text: string): never {
  throw new OperationError("HypervisorError", [text]);
}
