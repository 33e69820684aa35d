/** Schema of a whole message to an allocator (protocol version 2), as parsed by `JSON.parse`. */
import * as z from "zod";
import { GroupUuid, InstanceName, NodeName, Tag } from "../ids.js";
import { hypervisors } from "./hypervisor.js";
import { ignored } from "./ignored.js";
import { aliasesOf, indicesNamed } from "./names.js";
import { WireGroup } from "./wire-group.js";
import { WireInstance } from "./wire-instance.js";
import { WireNode } from "./wire-node.js";
import { WirePolicy } from "./wire-policy.js";
import { WireRequest } from "./wire-request.js";

const Shape = z.object({
  version: ignored(z.literal(2)),
  cluster_name: ignored(z.string()),
  cluster_tags: z.array(Tag),
  /** The first one determines how the memory of the nodes' own systems is counted. */
  enabled_hypervisors: z.array(z.enum(hypervisors)),
  /** For information: only the complete policies of the groups are used. */
  ipolicy: ignored(WirePolicy),
  nodegroups: z.record(GroupUuid, WireGroup),
  nodes: z.record(NodeName, WireNode),
  instances: z.record(InstanceName, WireInstance),
  request: WireRequest,
});

/**
 * The message of the iallocator protocol. Unknown keys are dropped, except in policies, where they are
 * refused; every node's group, every instance's nodes and all names in the request must exist.
 *
 * Accepts what `decodeMessage` accepts, as far as a JavaScript object can represent it; `docs/` of this
 * package lists the differences. If order or repeated keys matter, decode the bytes instead.
 */
export const WireMessage = Shape.superRefine((message, context) => {
  for (const [path, error] of unknownNames(message)) {
    context.addIssue({ code: "custom", path: [...path], message: error });
  }
});
export type WireMessage = z.infer<typeof WireMessage>;

type Unknown = readonly [path: readonly (string | number)[], error: string];

/** Names that match nothing, or several objects. */
function* unknownNames(message: z.infer<typeof Shape>): Generator<Unknown> {
  const { nodegroups, nodes, instances, request } = message;
  for (const [name, node] of Object.entries(nodes)) {
    if (!Object.hasOwn(nodegroups, node.group)) {
      yield [["nodes", name, "group"], `unknown group ${node.group}`];
    }
  }
  for (const [name, instance] of Object.entries(instances)) {
    for (const [position, node] of instance.nodes.slice(0, 2).entries()) {
      if (!Object.hasOwn(nodes, node as string)) {
        yield [["instances", name, "nodes", position], `unknown node ${node}`];
      }
    }
  }

  const alias = aliasesOf(Object.keys(nodes), Object.keys(instances));
  const unknownAmong = function* (
    key: string,
    wanted: readonly string[],
    names: readonly (readonly [string, string])[],
  ): Generator<Unknown> {
    for (const [position, index] of indicesNamed(
      wanted,
      names.length,
      (at) => names[at] ?? ["", ""],
    ).entries()) {
      if (index < 0) yield [["request", key, position], `not one thing: ${wanted[position]}`];
    }
  };
  const named = (names: readonly string[]) => names.map((name) => [name, alias(name)] as const);
  switch (request.type) {
    case "allocate":
    case "multi-allocate":
    case "capacity":
      return;
    case "allocate-secondary":
    case "relocate":
      if (!Object.hasOwn(instances, request.name)) {
        yield [["request", "name"], `unknown instance ${request.name}`];
      }
      if (request.type === "relocate") {
        yield* unknownAmong("relocate_from", request.relocate_from, named(Object.keys(nodes)));
      }
      return;
    case "node-evacuate":
    case "change-group":
      yield* unknownAmong("instances", request.instances, named(Object.keys(instances)));
      if (request.type === "change-group") {
        const groups = Object.entries(nodegroups).map(([uuid, { name }]) => [uuid, name] as const);
        yield* unknownAmong("target_groups", request.target_groups, groups);
      }
      return;
    case "balance":
      for (const key of ["select_instances", "exclude_instances"] as const) {
        yield* unknownAmong(key, request[key] ?? [], named(Object.keys(instances)));
      }
      return;
  }
}
