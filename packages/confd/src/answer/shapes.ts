/** Configuration objects with keys in the order in which Ganeti's Haskell daemons write them. */
import { compareCodePoints } from "@ganeti-ts/protocol";
import { Entries } from "../wire/value-text.js";

/** Puts a value into the form in which it is written; undefined: its key is left out. */
export type Shape = (value: unknown) => unknown;

type Keyed = Readonly<Record<string, unknown>>;

/** A key; how its value is written, as it is by default; and what stands for a missing value. */
type Field = string | readonly [key: string, shape: Shape, otherwise?: unknown];

const asItIs: Shape = (value) => value;

const list =
  (shape: Shape): Shape =>
  (value) =>
    (value as readonly unknown[]).map(shape);

/** Keys are sorted, after those of `first` in their own order. */
const map =
  (shape: Shape = asItIs, first: readonly string[] = []): Shape =>
  (value) => {
    const keyed = value as Keyed;
    const rank = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length);
    const sorted = () =>
      Object.keys(keyed).sort((a, b) => rank(a) - rank(b) || compareCodePoints(a, b));
    return new Entries(
      () => sorted().flatMap((key) => entryOf(key, shape(keyed[key]))),
      (key) => (Object.hasOwn(keyed, key) ? shape(keyed[key]) : undefined),
    );
  };

/** Keys are in this order; others come last, as they are. */
function record(...fields: readonly Field[]): Shape {
  const shapes = new Map(
    fields.map((field) =>
      typeof field === "string" ? [field, [field, asItIs]] : [field[0], field],
    ) as [string, Exclude<Field, string>][],
  );
  const shaped = (keyed: Keyed, key: string): unknown => {
    const [, shape, otherwise] = shapes.get(key) ?? [key, asItIs];
    const value = Object.hasOwn(keyed, key) ? keyed[key] : undefined;
    const present = value ?? otherwise;
    return present === undefined ? undefined : shape(present);
  };
  return (value) => {
    const keyed = value as Keyed;
    const keys = () => [...shapes.keys(), ...Object.keys(keyed).filter((key) => !shapes.has(key))];
    return new Entries(
      () => keys().flatMap((key) => entryOf(key, shaped(keyed, key))),
      (key) => shaped(keyed, key),
    );
  };
}

const entryOf = (key: string, value: unknown): [string, unknown][] =>
  value === undefined ? [] : [[key, value]];

/** Written only if it is true. */
const flag: Shape = (value) => value === true || undefined;

/** Written only if something is in it. */
const unlessEmpty: Shape = (value) => (Object.keys(value as Keyed).length > 0 ? value : undefined);

/** Private parameters: their names are shown, their values are not. */
const redacted: Shape = map(() => "<redacted>");

const stamps: readonly Field[] = ["ctime", "mtime", "uuid", "serial_no", "tags"];

const beparams = record(
  "minmem",
  "maxmem",
  "vcpus",
  "auto_balance",
  "always_failover",
  "spindle_use",
);

const nicparams = record("mode", "link", "vlan");

const ndparams = record(
  ...["oob_program", "spindle_count", "exclusive_storage", "ovs", "ovs_name", "ovs_link"],
  ...["ssh_port", "cpu_speed"],
);

const spec = record(
  ...["memory-size", "disk-size", "disk-count", "cpu-count", "nic-count", "spindle-use"],
);

const policy = record(
  ["minmax", list(record(["min", spec], ["max", spec]))],
  ["std", spec],
  ...["spindle-ratio", "vcpu-ratio", "disk-templates"],
);

/** The order of Ganeti's own type of hypervisors. */
const byHypervisor = map(map(), ["kvm", "xen-pvm", "chroot", "xen-hvm", "lxc", "fake"]);

export const clusterShape = record(
  ...["rsahostkeypub", "dsahostkeypub", "highest_used_port", "tcpudp_port_pool", "mac_prefix"],
  ...["volume_group_name", "reserved_lvs", "drbd_usermode_helper", "master_node", "master_ip"],
  ...["master_netdev", "master_netmask", "use_external_mip_script", "cluster_name"],
  ...["file_storage_dir", "shared_file_storage_dir", "gluster_storage_dir", "enabled_hypervisors"],
  ["hvparams", byHypervisor],
  ["os_hvp", map(byHypervisor)],
  ["beparams", map(beparams)],
  ["osparams", map(map())],
  ["osparams_private_cluster", map(redacted)],
  ["nicparams", map(nicparams)],
  ["ndparams", ndparams],
  ["diskparams", map(map())],
  ...["candidate_pool_size", "modify_etc_hosts", "modify_ssh_setup", "maintain_node_health"],
  ...["uid_pool", "default_iallocator"],
  ["default_iallocator_params", map()],
  ...["hidden_os", "blacklisted_os", "primary_ip_family", "prealloc_wipe_disks"],
  ["ipolicy", policy],
  ["hv_state_static", map(), {}],
  ["disk_state_static", map(), {}],
  "enabled_disk_templates",
  ["candidate_certs", map()],
  ...["max_running_jobs", "max_tracked_jobs", "install_image", "instance_communication_network"],
  ...["zeroing_image", "compression_tools", "enabled_user_shutdown"],
  ["data_collectors", map(record("active", "interval"))],
  ...["ssh_key_type", "ssh_key_bits"],
  ...stamps,
);

export const nodeShape = record(
  ...["name", "primary_ip", "secondary_ip", "master_candidate", "offline", "drained", "group"],
  ...["master_capable", "vm_capable"],
  ["ndparams", ndparams],
  "powered",
  ["hv_state_static", unlessEmpty],
  ["disk_state_static", unlessEmpty],
  ...stamps,
);

export const groupShape = record(
  "name",
  // Empty in the file as well: nodes say which group they are in.
  ["members", asItIs, []],
  ["ndparams", ndparams],
  "alloc_policy",
  ["ipolicy", policy],
  ["diskparams", map(map())],
  ["networks", map(nicparams)],
  ["hv_state_static", unlessEmpty],
  ["disk_state_static", unlessEmpty],
  ...stamps,
);

const nicShape = record("mac", "ip", ["nicparams", nicparams, {}], "network", "name", "uuid");

export const instanceShape = record(
  ["forthcoming", flag],
  ...["name", "primary_node", "os", "hypervisor"],
  ["hvparams", map(), {}],
  ["beparams", beparams, {}],
  ["osparams", map(), {}],
  ["osparams_private", redacted, {}],
  ...["admin_state", "admin_state_source"],
  ["nics", list(nicShape), []],
  ...["disks", "disks_active", "network_port"],
  ...stamps,
);

const diskFields = (children: Shape): readonly Field[] => [
  ["forthcoming", flag],
  ...["logical_id", "dev_type"],
  ["children", children, []],
  "nodes",
  ["iv_name", asItIs, ""],
  "size",
  ["mode", asItIs, "rw"],
  ...["name", "spindles"],
  ["params", map()],
  "uuid",
  // Ganeti gives it to children when it reads them.
  ["serial_no", asItIs, 1],
  ...["ctime", "mtime"],
];

export const diskShape = record(...diskFields(list(record(...diskFields(asItIs)))));

export const networkShape = record(
  ...["name", "mac_prefix", "network", "network6", "gateway", "gateway6", "reservations"],
  ...["ext_reservations", "uuid", "ctime", "mtime", "serial_no", "tags"],
);

export const filterShape = record(
  ...["watermark", "priority", "predicates", "action", "reason_trail", "uuid"],
);
