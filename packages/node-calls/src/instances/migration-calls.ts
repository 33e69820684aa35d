/** Migration of a running instance, in the order of the calls. */
import * as z from "zod";
import { AnyJson, call, Done, object } from "../call.js";
import { InstanceOnNode } from "../objects/instance.js";

/** Schema of the status of a migration. */
export const MigrationStatus = z.enum(["active", "completed", "failed", "cancelled"]);
export type MigrationStatus = z.infer<typeof MigrationStatus>;

const ofInstance = { instance: InstanceOnNode };

export const migrationCalls = {
  /** Fails if the instance cannot migrate. */
  instance_migratable: call("normal", "looks", Done, ofInstance),
  /** On the source, for the target: data of the hypervisor. */
  migration_info: call("normal", "looks", AnyJson, ofInstance),
  /** On the target; `target` is its secondary address. */
  accept_instance: call("normal", "same", Done, {
    ...ofInstance,
    info: AnyJson,
    target: z.string(),
  }),
  /** On the source: starts the transfer. */
  instance_migrate: call("slow", "same", Done, {
    ...ofInstance,
    clusterName: z.string(),
    target: z.string(),
    live: z.boolean(),
  }),
  /** On the source, until the status is no longer `active`. */
  instance_get_migration_status: call(
    "slow",
    "looks",
    object({
      status: MigrationStatus,
      /** Null where the hypervisor does not report it. */
      transferredMib: z.number().nullable(),
      totalMib: z.number().nullable(),
      /** Kvm only, once the instance runs on the target while memory is still copied. */
      postcopyStatus: z.string().nullish(),
    }),
    ofInstance,
  ),
  instance_finalize_migration_src: call("slow", "same", Done, {
    ...ofInstance,
    success: z.boolean(),
    live: z.boolean(),
  }),
  instance_finalize_migration_dst: call("normal", "same", Done, {
    ...ofInstance,
    info: AnyJson,
    success: z.boolean(),
  }),
};
