// Opcodes about the instance web1.
import type { JsonObject } from "@ganeti-ts/protocol";

export const create = (more: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_INSTANCE_CREATE",
  instance_name: "web1.example.com",
  mode: "create",
  os_type: "noop+default",
  disk_template: "plain",
  disks: [{ size: 1024 }],
  nics: [{}],
  pnode: "node1.example.com",
  beparams: { memory: 512 },
  hypervisor: "kvm",
  ...more,
});
export const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
export const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: "web1.example.com",
  ...more,
});
