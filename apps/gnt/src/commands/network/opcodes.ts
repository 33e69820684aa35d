/** Opcodes of gnt-network's commands, from their options. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import { Ending, prereqError } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { given } from "../../opcode.js";
import { commaList } from "../../parsing/key-values.js";

/** Comma-separated addresses; an empty text is an empty list. */
const addresses = (text: string | undefined): Json | undefined =>
  text === undefined ? undefined : text === "" ? [] : commaList(text);

const values = (options: OptionValues): JsonObject =>
  given({
    gateway: options.text("gateway"),
    add_reserved_ips: addresses(options.text("add-reserved-ips")),
    mac_prefix: options.text("mac-prefix"),
    gateway6: options.text("gateway6"),
    network6: options.text("network6"),
  });

/** @throws GanetiError if no addresses are given */
export function addOpcode(network_name: string, options: OptionValues): OpcodeJson {
  const network = options.text("network");
  if (network === undefined) throw prereqError("The --network option must be given");
  return {
    OP_ID: "OP_NETWORK_ADD",
    network_name,
    network,
    ...values(options),
    conflicts_check: !options.flag("no-conflicts-check"),
    tags: options.text("tags")?.split(",") ?? [],
  };
}

/** @throws Ending if there is nothing to change */
export function modifyOpcode(network_name: string, options: OptionValues): OpcodeJson {
  const changes = {
    ...values(options),
    ...given({ remove_reserved_ips: addresses(options.text("remove-reserved-ips")) }),
  };
  if (Object.keys(changes).length === 0) {
    throw new Ending("Please give at least one of the parameters.");
  }
  return { OP_ID: "OP_NETWORK_SET_PARAMS", network_name, ...changes };
}

/** One opcode for each group, by name or UUID, with defaults for omitted parameters. */
export function connectOpcodes(
  network_name: string,
  groups: readonly string[],
  options: OptionValues,
): readonly OpcodeJson[] {
  const nic = {
    mode: "bridged",
    link: "xen-br0",
    vlan: "",
    ...options.keyValues("nic-parameters"),
  };
  return groups.map((group_name) => ({
    OP_ID: "OP_NETWORK_CONNECT",
    group_name,
    network_name,
    network_mode: nic.mode,
    network_link: nic.link,
    network_vlan: nic.vlan,
    conflicts_check: !options.flag("no-conflicts-check"),
  }));
}
