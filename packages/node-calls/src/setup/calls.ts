/** A node as a member of the cluster: its files, roles, power, and commands that run on it. */
import * as z from "zod";
import { AnyJson, call, Done, list, Nothing, object, record } from "../call.js";
import { HypervisorOnNode } from "../objects/hypervisor.js";
import { Upload } from "../objects/upload.js";
import { sshCalls } from "./ssh-calls.js";

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
  upload_file: call("normal", "same", Upload, Done),
  /** The same call of other parts of Ganeti's master. */
  upload_file_single: call("normal", "same", Upload, Done),
  /** Lists are written with one item on each line. */
  write_ssconf_files: call(
    ...(["normal", "same"] as const),
    object({ values: record(z.union([z.string(), list(z.string())])) }),
    Done,
  ),
  etc_hosts_modify: call(
    ...(["normal", "same"] as const),
    object({ action: z.enum(["add", "remove"]), host: z.string(), ip: z.string().nullable() }),
    Done,
  ),
  /** Digest of the certificate that the node uses as a client. */
  node_crypto_tokens: call("slow", "looks", Nothing, object({ digest: z.string() })),
  /** Seconds since the epoch; null: not paused. */
  get_watcher_pause: call("urgent", "looks", Nothing, z.number().nullable()),
  set_watcher_pause: call("urgent", "same", object({ until: z.number().nullable() }), Done),
};

const roleCalls = {
  node_demote_from_mc: call("fast", "same", Nothing, Done),
  node_leave_cluster: call("normal", "same", object({ modifySshSetup: z.boolean() }), Done),
  node_activate_master_ip: call("fast", "same", MasterAddress, Done),
  node_deactivate_master_ip: call("fast", "same", MasterAddress, Done),
  node_change_master_netmask: call(
    ...(["fast", "same"] as const),
    object({
      oldNetmask: z.int(),
      netmask: z.int(),
      ip: z.string(),
      netdev: z.string(),
    }),
    Done,
  ),
  node_start_master_daemons: call("fast", "same", object({ noVoting: z.boolean() }), Done),
  node_stop_master: call("fast", "same", Nothing, Done),
  node_ensure_daemon: call(
    ...(["urgent", "same"] as const),
    object({ daemon: z.string(), run: z.boolean() }),
    Done,
  ),
  node_configure_ovs: call(
    ...(["normal", "same"] as const),
    object({ name: z.string(), link: z.string().nullable() }),
    Done,
  ),
};

const programCalls = {
  hooks_runner: call(
    ...(["normal", "again"] as const),
    object({
      path: z.string(),
      phase: z.enum(["pre", "post"]),
      environment: record(z.string()),
    }),
    list(HookResult),
  ),
  /** Output of the allocator; `parameters` become options. */
  iallocator_runner: call(
    ...(["normal", "looks"] as const),
    object({ name: z.string(), input: z.string(), parameters: record(AnyJson) }),
    z.string(),
  ),
  /** The node's message: `Reboot scheduled in 5 seconds`. */
  node_powercycle: call("normal", "again", HypervisorOnNode, z.string()),
  /** Runs the program about another node; its output as JSON, null if it prints nothing. */
  run_oob: call(
    ...(["normal", "again"] as const),
    object({
      program: z.string(),
      command: z.enum(["power-on", "power-off", "power-cycle", "power-status", "health"]),
      /** Name. */
      node: z.string(),
      timeoutSeconds: z.number(),
    }),
    AnyJson,
  ),
  /** Output of the command. */
  restricted_command: call("slow", "again", object({ command: z.string() }), z.string()),
  /** Answers after that time. Its timeout is the time plus 5 seconds, whatever the class. */
  test_delay: call("urgent", "looks", object({ seconds: z.number() }), Done),
};

export const setupCalls = { ...fileCalls, ...roleCalls, ...programCalls, ...sshCalls };
