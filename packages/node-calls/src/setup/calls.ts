/** A node as a member of the cluster: its files, roles, power, and commands that run on it. */
import * as z from "zod";
import { AnyJson, call, callOf, Done, list, object, record } from "../call.js";
import { HypervisorOnNode } from "../objects/hypervisor.js";
import { Upload } from "../objects/upload.js";

const names = list(z.string());

/** Nodes whose files could not be changed, each with the reason. */
const FailedNodes = list(object({ node: z.string(), message: z.string() }));

const sshCalls = {
  node_ssh_key_add: call("fast", "same", FailedNodes, {
    uuid: z.string(),
    name: z.string(),
    /** Names. */
    potentialCandidates: names,
    toAuthorizedKeys: z.boolean(),
    toPublicKeys: z.boolean(),
    getPublicKeys: z.boolean(),
  }),
  node_ssh_key_remove: call("fast", "same", FailedNodes, {
    uuid: z.string(),
    name: z.string(),
    /** UUIDs. */
    candidates: names,
    /** Names. */
    potentialCandidates: names,
    fromAuthorizedKeys: z.boolean(),
    fromPublicKeys: z.boolean(),
    clearAuthorizedKeys: z.boolean(),
    clearPublicKeys: z.boolean(),
    isReadded: z.boolean(),
  }),
  /** New keys of all these nodes; candidates may log in everywhere. */
  node_ssh_keys_renew: call("fourHours", "again", FailedNodes, {
    /** UUIDs, and names in the same order. */
    uuids: names,
    names,
    /** UUIDs. */
    candidates: names,
    /** Names. */
    potentialCandidates: names,
    oldKeyType: z.string(),
    newKeyType: z.string(),
    newKeyBits: z.int(),
  }),
};

/** Schema of the cluster's address as the master node brings it up. */
export const MasterAddress = object({
  /** UUID of the master. */
  uuid: z.string(),
  ip: z.string(),
  netdev: z.string(),
  netmask: z.int(),
  family: z.union([z.literal(4), z.literal(6)]),
  externalScript: z.boolean(),
});
export type MasterAddress = z.infer<typeof MasterAddress>;

/** Schema of the result of one hook script. */
export const HookResult = object({
  script: z.string(),
  status: z.enum(["success", "error", "skip"]),
  output: z.string(),
});
export type HookResult = z.infer<typeof HookResult>;

const fileCalls = {
  /** Writes a whole file; nodes refuse paths that are not on their list. */
  upload_file: callOf("normal", "same", Done, Upload),
  /** The same call of other parts of Ganeti's master. */
  upload_file_single: callOf("normal", "same", Done, Upload),
  /** Lists are written with one item on each line. */
  write_ssconf_files: call("normal", "same", Done, {
    values: record(z.union([z.string(), list(z.string())])),
  }),
  etc_hosts_modify: call("normal", "same", Done, {
    action: z.enum(["add", "remove"]),
    host: z.string(),
    ip: z.string().nullable(),
  }),
  /** Digest of the certificate that the node uses as a client. */
  node_crypto_tokens: call("slow", "looks", object({ digest: z.string() })),
  /** Seconds since the epoch; null: not paused. */
  get_watcher_pause: call("urgent", "looks", z.number().nullable()),
  set_watcher_pause: call("urgent", "same", Done, { until: z.number().nullable() }),
};

const roleCalls = {
  node_demote_from_mc: call("fast", "same", Done),
  node_leave_cluster: call("normal", "same", Done, { modifySshSetup: z.boolean() }),
  node_activate_master_ip: callOf("fast", "same", Done, MasterAddress),
  node_deactivate_master_ip: callOf("fast", "same", Done, MasterAddress),
  node_change_master_netmask: call("fast", "same", Done, {
    oldNetmask: z.int(),
    netmask: z.int(),
    ip: z.string(),
    netdev: z.string(),
  }),
  node_start_master_daemons: call("fast", "same", Done, { noVoting: z.boolean() }),
  node_stop_master: call("fast", "same", Done),
  node_ensure_daemon: call("urgent", "same", Done, { daemon: z.string(), run: z.boolean() }),
  node_configure_ovs: call("normal", "same", Done, {
    name: z.string(),
    link: z.string().nullable(),
  }),
};

const programCalls = {
  hooks_runner: call("normal", "again", list(HookResult), {
    path: z.string(),
    phase: z.enum(["pre", "post"]),
    environment: record(z.string()),
  }),
  /** Output of the allocator; `parameters` become options. */
  iallocator_runner: call("normal", "looks", z.string(), {
    name: z.string(),
    input: z.string(),
    parameters: record(AnyJson),
  }),
  /** The node's message: `Reboot scheduled in 5 seconds`. */
  node_powercycle: callOf("normal", "again", z.string(), HypervisorOnNode),
  /** Runs the program about another node; its output as JSON, null if it prints nothing. */
  run_oob: call("normal", "again", AnyJson, {
    program: z.string(),
    command: z.enum(["power-on", "power-off", "power-cycle", "power-status", "health"]),
    /** Name. */
    node: z.string(),
    timeoutSeconds: z.number(),
  }),
  /** Output of the command. */
  restricted_command: call("slow", "again", z.string(), { command: z.string() }),
  /** Answers after that time. Its timeout is the time plus 5 seconds, whatever the class. */
  test_delay: call("urgent", "looks", Done, { seconds: z.number() }),
};

export const setupCalls = { ...fileCalls, ...roleCalls, ...programCalls, ...sshCalls };
