// Named differences between our node calls and those of Ganeti's master; each has a row in docs/differences.md.

/** Calls that are left out of the comparison, by their label; a label ending in `*` is a beginning. */
export interface Difference {
  readonly why: string;
  /** Default: all operations. */
  readonly operations?: RegExp;
  /** Left out of the original's trace, of ours, or of both. */
  readonly original?: readonly string[];
  readonly ours?: readonly string[];
  readonly both?: readonly string[];
}

export const differences: readonly Difference[] = [
  {
    why: "copies on candidates: configuration, ssconf and queue files are not distributed yet",
    original: [
      "jobqueue_*",
      "upload_file_single config.data",
      "upload_file_single serial",
      "write_ssconf_files",
    ],
  },
  {
    why: "copies on candidates: units that change ssconf values send them themselves",
    ours: ["write_ssconf_files"],
  },
  {
    why: "figures of memory and disk are read again when they are claimed, and for templates in files",
    both: ["node_info"],
  },
  {
    why: "memory given to running instances does not count as free for a reservation",
    operations: /^forthcoming/,
    ours: ["all_instances_info"],
  },
  { why: "hail is built in", original: ["iallocator_runner"] },
  {
    why: "an allocator's figures are read at the same time",
    operations: /allocator|cleanup|^node: (migrate|failover|evacuate)/,
    both: ["all_instances_info"],
  },
  {
    why: "devices are plugged while the instance runs, where that is possible",
    operations: /(add|remove|detach) a (NIC|disk)|a disk$/,
    both: ["instance_info"],
    ours: ["hotplug_supported"],
  },
  {
    why: "a reservation is checked on nodes when it becomes real",
    operations: /^forthcoming: add/,
    original: ["hypervisor_validate_params", "os_validate", "bridges_exist"],
  },
  {
    why: "a reservation has nothing on nodes",
    operations: /^forthcoming: remove|repair-disk-sizes/,
    original: ["blockdev_remove file", "file_storage_dir_remove", "blockdev_getdimensions"],
    ours: ["blockdev_getdimensions"],
  },
  {
    why: "reinstallation: scripts that may not run on a node run in a helper VM",
    operations: /reinstall/,
    ours: ["os_diagnose"],
  },
  {
    why: "transfers: their states are read in other intervals, and snapshots are removed when all have ended",
    operations: /export|import|move/,
    both: ["impexp_*", "export_start", "blockdev_remove plain"],
  },
  {
    why: "leftovers of a failed operation are removed by recovery, also later",
    ours: ["export_remove", "export_list"],
    operations: /^file: export without shutdown/,
  },
  {
    why: "activating disks: a synchronisation that a job paused before it died is resumed",
    operations: /activate disks/,
    ours: ["blockdev_pause_resume_sync"],
  },
  {
    why: "recreation of disks: looked for before they are made, and shut down",
    operations: /recreate/,
    both: ["file_storage_dir_create", "blockdev_create*"],
    ours: ["blockdev_find*", "blockdev_shutdown*"],
  },
  {
    why: "new candidates and nodes that come back get the common files",
    operations: /^node: /,
    ours: ["upload_file", "node_verify", "instance_list"],
  },
];

const matches = (pattern: string, label: string): boolean =>
  pattern.endsWith("*") ? label.startsWith(pattern.slice(0, -1)) : label === pattern;

export const isLeftOut = (
  side: "original" | "ours",
  { operations, ...difference }: Difference,
  name: string,
  label: string,
): boolean =>
  (operations?.test(name) ?? true) &&
  [...(difference[side] ?? []), ...(difference.both ?? [])].some((one) => matches(one, label));
