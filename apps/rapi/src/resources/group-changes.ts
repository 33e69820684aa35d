/** Methods that change node groups. */
import { submits } from "./job-method.js";

const path = { group_name: "group" };
const flags = { dry_run: "dry-run" };

export const add = submits({
  summary: "Adds a node group",
  source: "groups",
  opcode: "OP_GROUP_ADD",
  flags,
  rename: { name: "group_name" },
});

export const remove = submits({
  summary: "Removes a node group without nodes",
  source: "groups_name",
  opcode: "OP_GROUP_REMOVE",
  path,
  flags,
  body: "ignored",
});

export const modify = submits({
  summary: "Changes a node group's parameters",
  source: "groups_name_modify",
  opcode: "OP_GROUP_SET_PARAMS",
  path,
  rename: {
    custom_ndparams: "ndparams",
    custom_ipolicy: "ipolicy",
    custom_diskparams: "diskparams",
  },
});

export const rename = submits({
  summary: "Renames a node group",
  source: "groups_name_rename",
  opcode: "OP_GROUP_RENAME",
  path,
  flags,
});

export const assignNodes = submits({
  summary: "Puts nodes into a node group",
  source: "groups_name_assign_nodes",
  opcode: "OP_GROUP_ASSIGN_NODES",
  path,
  flags: { ...flags, force: "force" },
});
