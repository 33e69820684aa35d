/** Methods that change networks. */
import { submits } from "./job-method.js";

const path = { network_name: "network" };
const flags = { dry_run: "dry-run" };

export const add = submits({
  summary: "Adds a network",
  source: "networks",
  opcode: "OP_NETWORK_ADD",
  flags,
  rename: { name: "network_name" },
});

export const remove = submits({
  summary: "Removes a network that is connected nowhere",
  source: "networks_name",
  opcode: "OP_NETWORK_REMOVE",
  path,
  flags,
});

export const modify = submits({
  summary: "Changes a network's parameters",
  source: "networks_name_modify",
  opcode: "OP_NETWORK_SET_PARAMS",
  path,
});

export const rename = submits({
  summary: "Renames a network",
  source: "networks_name_rename",
  opcode: "OP_NETWORK_RENAME",
  path,
  flags,
});

export const connect = submits({
  summary: "Connects a network to a node group",
  source: "networks_name_connect",
  opcode: "OP_NETWORK_CONNECT",
  path,
  flags,
});

export const disconnect = submits({
  summary: "Disconnects a network from a node group",
  source: "networks_name_disconnect",
  opcode: "OP_NETWORK_DISCONNECT",
  path,
  flags,
});
