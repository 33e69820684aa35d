// Seeded messages of any size: the same seed always gives the same bytes.
import { aMessage, aNode, anInstance, type Json, type JsonObject } from "../test/message.js";

const instancesPerNode = 10;

/** An allocate message about `nodeCount` nodes in one group, with ten drbd instances per node. */
export function largeMessage(seed: number, nodeCount: number): string {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const nodeName = (index: number): string => `node${index}.example.com`;

  const nodes: JsonObject = {};
  for (let i = 0; i < nodeCount; i++) {
    nodes[nodeName(i)] = {
      ...aNode("uuid-a"),
      free_memory: below(32768),
      free_disk: below(409600),
    };
  }
  const instances: JsonObject = {};
  for (let i = 0; i < nodeCount * instancesPerNode; i++) {
    const primary = below(nodeCount);
    const secondary = (primary + 1 + below(nodeCount - 1)) % nodeCount;
    const size = 1024 * (1 + below(40));
    const tags: Json = below(3) === 0 ? [`service:${below(50)}`, "owner:somebody"] : [];
    instances[`instance${i}.example.com`] = {
      ...anInstance([nodeName(primary), nodeName(secondary)]),
      memory: 128 * (1 + below(64)),
      vcpus: 1 + below(8),
      disk_space_total: size + 128,
      disks: [{ mode: "rw", size, spindles: null }],
      tags,
    };
  }
  return JSON.stringify({ ...aMessage("allocate"), nodes, instances });
}

/** Numbers from 0 up to 1 (a Weyl sequence with a 32-bit finalizer). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
