/** Instances that leave a group out of balance: all on its first node. */
import type { JsonObject } from "@ganeti-ts/protocol";

export const creations: readonly JsonObject[] = [40, 41, 42, 43].map((at) => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: `inst${at}.example.com`,
  pnode: "node1.example.com",
  mode: "create",
  os_type: "noop+default",
  disk_template: "diskless",
  disks: [],
  nics: [{}],
  ip_check: false,
  beparams: { memory: 512 },
}));
