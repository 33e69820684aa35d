/** Opcodes of tests. */
import type { JsonObject } from "@ganeti-ts/protocol";

/**
 * OP_INSTANCE_CREATE of an instance with a plain disk of 1 GiB and one NIC. Where it is to be (`pnode`, `snode` or `iallocator`)
 * belongs to `more`, whose parameters replace those given here.
 */
export const creationOf = (instance_name: string, more: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name,
  mode: "create",
  os_type: "noop+default",
  hypervisor: "kvm",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [{}],
  ...more,
});
