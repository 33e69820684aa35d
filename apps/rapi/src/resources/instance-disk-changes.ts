/** Methods for disks of instances, and for their exports. */
import { HttpFault } from "../http/fault.js";
import { isEmpty } from "./instance-changes.js";
import { requireObject, submits } from "./job-method.js";

const path = { instance_name: "instance" };

export const replace = submits({
  summary: "Replaces disks of an instance, or the node that mirrors them",
  source: "instances_name_replace_disks",
  opcode: "OP_INSTANCE_REPLACE_DISKS",
  path,
  fixed: {
    names: [],
    of: () => ({}),
    query: {
      mode: "Only without a body, as all that follow",
      disks: "Positions with commas between them",
      remote_node: "The new secondary",
      iallocator: "What chooses it",
      early_release: "1 frees the locks sooner",
    },
  },
  body: ({ query, body }) => {
    const given = isEmpty(body)
      ? {
          remote_node: query.text("remote_node") ?? null,
          mode: query.text("mode") ?? null,
          disks: query.text("disks") ?? null,
          iallocator: query.text("iallocator") ?? null,
          ...(query.has("early_release") ? { early_release: query.flag("early_release") } : {}),
        }
      : requireObject(body);
    const { disks, ...others } = given;
    if (isEmpty(disks)) return others;
    if (typeof disks !== "string") return given;
    return { ...others, disks: disks.split(",").map(diskIndex) };
  },
});

function diskIndex(text: string): number {
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
  throw new HttpFault(
    400,
    `Invalid disk index passed: invalid literal for int() with base 10: '${text}'`,
  );
}

export const activate = submits({
  summary: "Makes an instance's disks available on its primary node",
  source: "instances_name_activate_disks",
  opcode: "OP_INSTANCE_ACTIVATE_DISKS",
  path,
  flags: { ignore_size: "ignore_size" },
  body: "ignored",
});

export const deactivate = submits({
  summary: "Undoes that",
  source: "instances_name_deactivate_disks",
  opcode: "OP_INSTANCE_DEACTIVATE_DISKS",
  path,
  flags: { force: "force" },
  body: "ignored",
});

export const recreate = submits({
  summary: "Makes an instance's disks anew, without what was on them",
  source: "instances_name_recreate_disks",
  opcode: "OP_INSTANCE_RECREATE_DISKS",
  path,
});

export const grow = submits({
  summary: "Makes a disk larger",
  source: "instances_name_disk_grow",
  opcode: "OP_INSTANCE_GROW_DISK",
  path,
  fixed: { names: ["disk"], of: ({ names }) => ({ disk: Number(names.disk) }) },
});

/** Addition of ours. */
export const repair = submits({
  summary: "Replaces the disks that are faulty on an instance's primary node",
  source: "instances_name_repair",
  opcode: "OP_INSTANCE_REPAIR",
  path,
  flags: { dry_run: "dry-run" },
});

// Exports.

export const prepareExport = submits({
  summary: "Prepares an export; the job's result has what the receiver needs",
  source: "instances_name_prepare_export",
  opcode: "OP_BACKUP_PREPARE",
  path,
  fixed: {
    names: ["mode"],
    of: ({ query }) => ({ mode: query.text("mode") ?? null }),
    query: { mode: "local or remote" },
  },
  body: "ignored",
});

export const exportInstance = submits({
  summary: "Exports an instance to a node, or to another cluster",
  source: "instances_name_export",
  opcode: "OP_BACKUP_EXPORT",
  path,
  rename: { destination: "target_node" },
});

export const removeExport = submits({
  summary: "Removes an instance's exports",
  source: "instances_name_export",
  opcode: "OP_BACKUP_REMOVE",
  path,
  body: "ignored",
});
