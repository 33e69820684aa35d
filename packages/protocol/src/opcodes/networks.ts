/** Opcodes about networks and their connections to groups. */
import * as z from "zod";
import { NetworkMode } from "./choices.js";
import { opcode } from "./define.js";
import { flag, listOf, nonEmpty, text } from "./values.js";

/** Host bits are checked when the network is created. */
const Ipv4 = z.ipv4();
/** Without a prefix length it is a single address, which is always too small for a network. */
const Ipv4Network = z.union([z.cidrv4(), z.ipv4()]);
const Ipv6 = z.ipv6();
const Ipv6Network = z.cidrv6();

export const networkOpcodes = {
  OP_NETWORK_ADD: opcode("OP_NETWORK_ADD", "network_name", {
    network_name: nonEmpty,
    network: Ipv4Network,
    gateway: Ipv4.optional(),
    network6: Ipv6Network.optional(),
    gateway6: Ipv6.optional(),
    mac_prefix: nonEmpty.optional(),
    add_reserved_ips: listOf(Ipv4).optional(),
    conflicts_check: flag.default(true),
    tags: listOf(nonEmpty).default([]),
  }),
  OP_NETWORK_REMOVE: opcode("OP_NETWORK_REMOVE", "network_name", {
    network_name: nonEmpty,
    force: flag.default(false),
  }),
  OP_NETWORK_RENAME: opcode("OP_NETWORK_RENAME", null, {
    network_name: nonEmpty,
    new_name: nonEmpty,
  }),
  OP_NETWORK_SET_PARAMS: opcode("OP_NETWORK_SET_PARAMS", "network_name", {
    network_name: nonEmpty,
    gateway: Ipv4.optional(),
    network6: Ipv6Network.optional(),
    gateway6: Ipv6.optional(),
    mac_prefix: nonEmpty.optional(),
    add_reserved_ips: listOf(Ipv4).optional(),
    remove_reserved_ips: listOf(Ipv4).optional(),
  }),
  OP_NETWORK_CONNECT: opcode("OP_NETWORK_CONNECT", "network_name", {
    group_name: nonEmpty,
    network_name: nonEmpty,
    network_mode: NetworkMode,
    network_link: nonEmpty,
    network_vlan: text.default(""),
    conflicts_check: flag.default(true),
  }),
  OP_NETWORK_DISCONNECT: opcode("OP_NETWORK_DISCONNECT", "network_name", {
    group_name: nonEmpty,
    network_name: nonEmpty,
  }),
};
