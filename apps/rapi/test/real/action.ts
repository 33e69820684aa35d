/** An action on an instance, and the expected state of its QEMU before and after it. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { Qemu } from "./action-cluster.js";

export interface Action {
  readonly title: string;
  /** Hypervisor parameters of its start; then its guest, which may not boot with them, is not asked without `guest`. */
  readonly start?: JsonObject;
  /** Opcodes that prepare the instance, which has one disk and one NIC. */
  readonly given?: readonly JsonObject[];
  /** Sent through RAPI; without the name of the instance. */
  readonly opcode: JsonObject;
  readonly asks: (qemu: Qemu) => unknown;
  readonly before: unknown;
  readonly after: unknown;
  /** Asked of the guest afterwards, with its answer; null for a guest that has nothing to boot from. */
  readonly guest?: readonly [line: string, answer: string] | null;
  /** Part of the job's error if the action is refused; `after` then equals the state before. */
  readonly refused?: string;
  /** Whether it stays on its node afterwards; by default it is migrated. */
  readonly stays?: boolean;
  /** Node on which it runs after the action; absent: on the same. */
  readonly node?: string;
  /** Opcodes between its shutdown and the action. */
  readonly meanwhile?: readonly JsonObject[];
  /** Script that its node runs between its shutdown and the action. */
  readonly script?: string;
  /** Whether the action is part of the check of each commit; others run less often. */
  readonly isQuick?: boolean;
  /** It is stopped for the action and started afterwards, under this name. */
  readonly stoppedAs?: string;
}

/** Further conditions of a row. */
export type More = Pick<Action, "guest" | "refused" | "stays" | "isQuick">;

const paths: Readonly<Record<string, readonly [method: string, path: string]>> = {
  OP_INSTANCE_CREATE: ["POST", ""],
  OP_INSTANCE_REMOVE: ["DELETE", "/NAME"],
  OP_INSTANCE_QUERY_DATA: ["GET", "/NAME/info"],
  OP_INSTANCE_SET_PARAMS: ["PUT", "/NAME/modify"],
  OP_INSTANCE_GROW_DISK: ["POST", "/NAME/disk/DISK/grow"],
  OP_INSTANCE_RENAME: ["PUT", "/NAME/rename"],
  OP_INSTANCE_REINSTALL: ["POST", "/NAME/reinstall"],
  OP_INSTANCE_RECREATE_DISKS: ["POST", "/NAME/recreate-disks"],
  OP_INSTANCE_REPLACE_DISKS: ["POST", "/NAME/replace-disks"],
  OP_INSTANCE_STARTUP: ["PUT", "/NAME/startup"],
  OP_INSTANCE_SHUTDOWN: ["PUT", "/NAME/shutdown"],
  OP_INSTANCE_REBOOT: ["POST", "/NAME/reboot?type=TYPE"],
  OP_INSTANCE_MIGRATE: ["PUT", "/NAME/migrate"],
  OP_INSTANCE_FAILOVER: ["PUT", "/NAME/failover"],
  OP_BACKUP_EXPORT: ["PUT", "/NAME/export"],
};

const withPolicy = new Set(
  ["CREATE", "SET_PARAMS", "GROW_DISK"].map((name) => `OP_INSTANCE_${name}`),
);

/** The request of RAPI for an opcode; `osparams` are added to a creation. */
export function requestOf(name: string, opcode: JsonObject, osparams: JsonObject): JsonObject {
  const { OP_ID, disk, reboot_type, ...body } = opcode;
  const [method, path] = paths[String(OP_ID)] ?? [];
  if (method === undefined) throw new Error(`no request is known for ${OP_ID}`);
  const filled = path
    ?.replace("NAME", name)
    .replace("DISK", String(disk))
    .replace("TYPE", String(reboot_type));
  const whole = {
    ...body,
    ...(OP_ID === "OP_INSTANCE_CREATE" && { __version__: 1, instance_name: name, osparams }),
    // Small disks.
    ...(withPolicy.has(String(OP_ID)) && { ignore_ipolicy: true }),
  };
  return { method, path: `/2/instances${filled}`, body: whole };
}

export const modify = (changes: JsonObject): { readonly opcode: JsonObject } => ({
  opcode: { OP_ID: "OP_INSTANCE_SET_PARAMS", ...changes },
});
export const modification = (changes: JsonObject): JsonObject => modify(changes).opcode;

/** Actions that are not part of the check of each commit. */
export const rest = (actions: readonly Action[]): readonly Action[] =>
  actions.filter(({ isQuick }) => isQuick !== true);
