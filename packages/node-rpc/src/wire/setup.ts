/** Calls about a node as a member of the cluster. */
import type { HookResult, MasterAddress, SetupCalls, Upload } from "@ganeti-ts/node-calls";
import type { CallWires } from "./call-wire.js";
import { hypervisor } from "./figures.js";
import { content, path } from "./files.js";
import {
  asList,
  asObject,
  asText,
  constant,
  type Format,
  listOf,
  noArguments,
  positional,
  single,
  WireError,
  words,
} from "./format.js";

const upload = positional<Upload>(
  ["path", path],
  ["content", content],
  "mode",
  "owner",
  "group",
  "accessedAt",
  "modifiedAt",
);

/** Linux's numbers of the address families. */
const families = { 4: 2, 6: 10 } as const;

const masterAddress: Format<MasterAddress> = {
  encode: ({ uuid, ip, netdev, netmask, family, externalScript }) => [
    { uuid, ip, netmask, netdev, ip_family: families[family] },
    externalScript,
  ],
  decode(json) {
    const [parameters = null, externalScript] = asList(json);
    const { ip_family: family, ...rest } = asObject(parameters);
    return { ...rest, family: family === 10 ? 6 : 4, externalScript } as unknown as MasterAddress;
  },
};

/** The only request of `node_crypto_tokens` that is used: the digest of the node's certificate. */
const ownDigest = constant({}, [[["ssl", "get", {}]]]);
const digest: Format<{ digest: string }> = {
  encode: ({ digest: text }) => [["ssl", text]],
  decode(json) {
    const [type, text = null] = asList(asList(json)[0] ?? null);
    if (type !== "ssl") throw new WireError("no digest of a certificate");
    return { digest: asText(text) };
  },
};

/** True on the wire; false means a failure, which gets the given message. */
const succeeded = (failure: string): Format<null> => ({
  encode: () => true,
  decode(json) {
    if (json === true) return null;
    throw new WireError(failure);
  },
});

const hookResult = positional<HookResult>(
  "script",
  ["status", words({ skip: 0, error: 1, success: 2 })],
  "output",
);

const failedNodes = listOf(positional<{ node: string; message: string }>("node", "message"));

type SshCall = "node_ssh_key_add" | "node_ssh_key_remove" | "node_ssh_keys_renew";

const sshWires: CallWires<SshCall> = {
  node_ssh_key_add: {
    arguments: positional(
      "uuid",
      "name",
      "potentialCandidates",
      "toAuthorizedKeys",
      "toPublicKeys",
      "getPublicKeys",
    ),
    value: failedNodes,
  },
  node_ssh_key_remove: {
    arguments: positional(
      "uuid",
      "name",
      "candidates",
      "potentialCandidates",
      "fromAuthorizedKeys",
      "fromPublicKeys",
      "clearAuthorizedKeys",
      "clearPublicKeys",
      "isReadded",
    ),
    value: failedNodes,
  },
  node_ssh_keys_renew: {
    arguments: positional(
      "uuids",
      "names",
      "candidates",
      "potentialCandidates",
      "oldKeyType",
      "newKeyType",
      "newKeyBits",
    ),
    value: failedNodes,
  },
};

export const setupWires: CallWires<keyof SetupCalls> = {
  ...sshWires,
  upload_file: single(upload),
  upload_file_single: upload,
  write_ssconf_files: positional("values"),
  etc_hosts_modify: { arguments: positional("action", "host", "ip"), value: constant(null, true) },
  node_crypto_tokens: { arguments: ownDigest, value: digest },
  get_watcher_pause: noArguments,
  set_watcher_pause: positional("until"),
  node_demote_from_mc: noArguments,
  node_leave_cluster: {
    arguments: positional("modifySshSetup"),
    value: constant(null, "Shutdown scheduled"),
  },
  node_activate_master_ip: masterAddress,
  node_deactivate_master_ip: masterAddress,
  node_change_master_netmask: positional("oldNetmask", "netmask", "ip", "netdev"),
  node_start_master_daemons: positional("noVoting"),
  node_stop_master: noArguments,
  node_ensure_daemon: {
    arguments: positional("daemon", "run"),
    value: succeeded("The daemon could not be started or stopped"),
  },
  node_configure_ovs: positional("name", "link"),
  hooks_runner: {
    arguments: positional("path", "phase", "environment"),
    value: listOf(hookResult),
  },
  iallocator_runner: positional("name", "input", "parameters"),
  node_powercycle: hypervisor,
  run_oob: positional("program", "command", "node", "timeoutSeconds"),
  restricted_command: positional("command"),
  test_delay: positional("seconds"),
};
