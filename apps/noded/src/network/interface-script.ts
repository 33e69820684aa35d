/** Script that connects an interface of an instance to the networks of its node. */
import type { InstanceOnNode, NicOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { shipped } from "../machine/shipped.js";

/** Shipped with the daemon; it calls the administrator's `kvm-vif-bridge` if there is one. */
const interfaceProgram = shipped("programs/kvm-ifup");

/** Keys of a network and the names of their variables. */
const networkVariables = {
  name: "NETWORK_NAME",
  uuid: "NETWORK_UUID",
  network: "NETWORK_SUBNET",
  gateway: "NETWORK_GATEWAY",
  network6: "NETWORK_SUBNET6",
  gateway6: "NETWORK_GATEWAY6",
  mac_prefix: "NETWORK_MAC_PREFIX",
} as const;

const words = (tags: unknown): string => (Array.isArray(tags) ? tags.join(" ") : "");
const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Variables for scripts of interfaces, with Ganeti's names. */
export function interfaceVariables(
  { name, tags }: Pick<InstanceOnNode, "name" | "tags">,
  nic: Omit<NicOnNode, "hvinfo">,
  index: number,
  tap: string,
): Readonly<Record<string, string>> {
  const { mode, link, vlan } = nic.nicparams;
  const network = nic.netinfo ?? null;
  const inNetwork = Object.entries(networkVariables).flatMap(([key, variable]) =>
    isSet(network?.[key]) ? [[variable, String(network?.[key])]] : [],
  );
  return {
    INSTANCE: name,
    TAGS: words(tags),
    INTERFACE: tap,
    INTERFACE_INDEX: String(index),
    INTERFACE_UUID: nic.uuid,
    MAC: nic.mac ?? "",
    MODE: String(mode ?? ""),
    ...(isSet(nic.name) && { INTERFACE_NAME: String(nic.name) }),
    ...(isSet(nic.ip) && { IP: String(nic.ip) }),
    ...(isSet(link) && { LINK: String(link) }),
    ...(vlan !== undefined && { VLAN: String(vlan ?? "") }),
    ...(mode === "bridged" && { BRIDGE: String(link ?? "") }),
    ...Object.fromEntries(inNetwork),
    ...(isSet(words(network?.tags)) && { NETWORK_TAGS: words(network?.tags) }),
  };
}

/** Runs the script for one NIC; if it fails, rejects with its output. */
export async function configureInterface(
  { run, paths }: Pick<NodeContext, "run" | "paths">,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const tap = variables.INTERFACE ?? "";
  const env = {
    ...variables,
    PATH: `${process.env.PATH ?? ""}:/sbin:/usr/sbin`,
    GANETI_CONF: paths.conf,
  };
  const ended = await run.run({ program: interfaceProgram, args: [tap], env, timeoutMs: 60_000 });
  if (succeeded(ended)) return;
  throw new NodeFailure(
    `Failed to configure interface ${tap}: ${reasonOf(ended)}; network configuration script output: ${outputOf(ended)}`,
  );
}
