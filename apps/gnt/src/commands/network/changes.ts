/** gnt-network add, modify, remove, rename, connect and disconnect. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { Cluster, OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode, runs } from "../../jobs/follow.js";
import { fromOptions, given } from "../../opcode.js";
import { commaList } from "../../parsing/key-values.js";
import { reportUuid } from "../reports.js";

export async function add(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.args as [string];
  await runOpcode(invocation, addOpcode(name, invocation.options));
  await reportUuid(invocation, "network", name);
  return 0;
}

/** It does not print the changes. */
export const modify = runs(({ args, options }) => modifyOpcode(args[0] as string, options));

export const remove = runs(({ args, options }) => ({
  OP_ID: "OP_NETWORK_REMOVE",
  network_name: args[0] as string,
  force: options.flag("force"),
}));

export const rename = runs(({ args }) => {
  const [network_name, new_name] = args as [string, string];
  return { OP_ID: "OP_NETWORK_RENAME", network_name, new_name };
});

/** One job for each group, one after the other. */
export async function connect(invocation: Invocation): Promise<ExitCode> {
  const [network, ...named] = invocation.args as [string, ...string[]];
  const groups = await groupsOrAll(named, invocation.cluster);
  for (const opcode of connectOpcodes(network, groups, invocation.options)) {
    await runOpcode(invocation, opcode);
  }
  return 0;
}

/** One job for each group, one after the other. */
export async function disconnect(invocation: Invocation): Promise<ExitCode> {
  const [network_name, ...named] = invocation.args as [string, ...string[]];
  for (const group_name of await groupsOrAll(named, invocation.cluster)) {
    await runOpcode(invocation, { OP_ID: "OP_NETWORK_DISCONNECT", group_name, network_name });
  }
  return 0;
}

/** The named groups; otherwise the UUIDs of all. */
async function groupsOrAll(named: readonly string[], cluster: Cluster): Promise<readonly string[]> {
  if (named.length > 0) return named;
  const { data } = await cluster.query("group", ["uuid"], null);
  return data.map(([cell]) => String(cell?.[1]));
}

/** Comma-separated addresses; an empty text is an empty list. */
const addresses = (text: string | undefined): Json | undefined =>
  text === undefined ? undefined : text === "" ? [] : commaList(text);

const values = (options: OptionValues): JsonObject =>
  given({
    ...fromOptions(options, "gateway", "mac-prefix", "gateway6", "network6"),
    add_reserved_ips: addresses(options.text("add-reserved-ips")),
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
