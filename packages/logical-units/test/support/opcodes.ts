// Opcodes about the instance web1.
import type { JsonObject } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";

export const create = (more: JsonObject = {}): JsonObject =>
  creationOf("web1.example.com", {
    pnode: "node1.example.com",
    beparams: { memory: 512 },
    ...more,
  });
export const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
export const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  OP_ID,
  instance_name: "web1.example.com",
  ...more,
});
