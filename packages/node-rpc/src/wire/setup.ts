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
  plain,
  positional,
  single,
  WireError,
  words,
} from "./format.js";

const upload = positional<Upload>(
  ["path", path],
  ["content", content],
  ["mode", plain],
  ["owner", plain],
  ["group", plain],
  ["accessedAt", plain],
  ["modifiedAt", plain],
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
  ["script", plain],
  ["status", words({ skip: 0, error: 1, success: 2 })],
  ["output", plain],
);

const failedNodes = listOf(
  positional<{ node: string; message: string }>(["node", plain], ["message", plain]),
);

type SshCall = "node_ssh_key_add" | "node_ssh_key_remove" | "node_ssh_keys_renew";

const sshWires: CallWires<SshCall> = {
  node_ssh_key_add: {
    arguments: positional(
      ["uuid", plain],
      ["name", plain],
      ["potentialCandidates", plain],
      ["toAuthorizedKeys", plain],
      ["toPublicKeys", plain],
      ["getPublicKeys", plain],
    ),
    value: failedNodes,
  },
  node_ssh_key_remove: {
    arguments: positional(
      ["uuid", plain],
      ["name", plain],
      ["candidates", plain],
      ["potentialCandidates", plain],
      ["fromAuthorizedKeys", plain],
      ["fromPublicKeys", plain],
      ["clearAuthorizedKeys", plain],
      ["clearPublicKeys", plain],
      ["isReadded", plain],
    ),
    value: failedNodes,
  },
  node_ssh_keys_renew: {
    arguments: positional(
      ["uuids", plain],
      ["names", plain],
      ["candidates", plain],
      ["potentialCandidates", plain],
      ["oldKeyType", plain],
      ["newKeyType", plain],
      ["newKeyBits", plain],
    ),
    value: failedNodes,
  },
};

export const setupWires: CallWires<keyof SetupCalls> = {
  ...sshWires,
  upload_file: { arguments: single(upload), value: plain },
  upload_file_single: { arguments: upload, value: plain },
  write_ssconf_files: { arguments: positional(["values", plain]), value: plain },
  etc_hosts_modify: {
    arguments: positional(["action", plain], ["host", plain], ["ip", plain]),
    value: constant(null, true),
  },
  node_crypto_tokens: { arguments: ownDigest, value: digest },
  get_watcher_pause: { arguments: noArguments, value: plain },
  set_watcher_pause: { arguments: positional(["until", plain]), value: plain },
  node_demote_from_mc: { arguments: noArguments, value: plain },
  node_leave_cluster: {
    arguments: positional(["modifySshSetup", plain]),
    value: constant(null, "Shutdown scheduled"),
  },
  node_activate_master_ip: { arguments: masterAddress, value: plain },
  node_deactivate_master_ip: { arguments: masterAddress, value: plain },
  node_change_master_netmask: {
    arguments: positional(
      ["oldNetmask", plain],
      ["netmask", plain],
      ["ip", plain],
      ["netdev", plain],
    ),
    value: plain,
  },
  node_start_master_daemons: { arguments: positional(["noVoting", plain]), value: plain },
  node_stop_master: { arguments: noArguments, value: plain },
  node_ensure_daemon: {
    arguments: positional(["daemon", plain], ["run", plain]),
    value: succeeded("The daemon could not be started or stopped"),
  },
  node_configure_ovs: { arguments: positional(["name", plain], ["link", plain]), value: plain },
  hooks_runner: {
    arguments: positional(["path", plain], ["phase", plain], ["environment", plain]),
    value: listOf(hookResult),
  },
  iallocator_runner: {
    arguments: positional(["name", plain], ["input", plain], ["parameters", plain]),
    value: plain,
  },
  node_powercycle: { arguments: hypervisor, value: plain },
  run_oob: {
    arguments: positional(
      ["program", plain],
      ["command", plain],
      ["node", plain],
      ["timeoutSeconds", plain],
    ),
    value: plain,
  },
  restricted_command: { arguments: positional(["command", plain]), value: plain },
  test_delay: { arguments: positional(["seconds", plain]), value: plain },
};
