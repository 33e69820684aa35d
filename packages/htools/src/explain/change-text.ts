/** Descriptions of changes, to be read after "it would succeed". */
import type { AllocationChange } from "@ganeti-ts/protocol";

export const changesText = (changes: readonly AllocationChange[]): string =>
  changes.map(changeText).join(" and ");

function changeText(change: AllocationChange): string {
  switch (change.kind) {
    case "resize":
      return `${amountText(change.resource, change.by)} for ${change.instance}`;
    case "remove-tag":
      return `without exclusion tag ${change.tag}`;
    case "extend-node":
      return `${amountText(change.resource, change.by)} on ${change.node}`;
    case "return-node":
      return `with ${change.node} back, which is drained`;
    case "remove-node-tag":
      return `without migration tag ${change.tag} on ${change.node}`;
    case "add-nodes":
      return `with ${change.by} more ${change.by === 1 ? "node" : "nodes"} like ${change.like}`;
    case "set-group-policy":
      return `with group ${change.group} ${change.policy} instead of unallocable`;
    case "connect-group":
      return `with group ${change.group} connected to network ${change.network}`;
    case "allow-template":
      return `with disk template ${change.template} in the policy of group ${change.group}`;
    case "drop-group-name":
      return "without group_name";
    case "drop-node-restriction":
      return "without the restriction to certain nodes";
    case "allow-node":
      return `with ${change.node} among the nodes allowed`;
    case "set-option":
      return `with --${change.option}`;
    case "set-required-nodes":
      return `with required_nodes ${change.count}`;
    case "set-relocate-from":
      return `with relocate_from ${change.node}`;
    case "set-evacuation-mode":
      return `with evac_mode ${change.mode}`;
    case "any-target-group":
      return "without target_groups";
  }
}

type Resource = Extract<AllocationChange, { resource: unknown }>["resource"];

const singular: Readonly<Record<Exclude<Resource, "memory" | "disk">, string>> = {
  vcpus: "vcpu",
  spindles: "spindle",
  "spindle-use": "spindle use",
  disks: "disk",
  cpus: "CPU",
};

function amountText(resource: Resource, by: number): string {
  const amount = Math.abs(by);
  const plain = by < 0 ? "less" : "more";
  if (resource === "memory" || resource === "disk") return `${amount} MiB ${plain} ${resource}`;
  const many = amount === 1 ? singular[resource] : `${singular[resource]}s`;
  return `${amount} ${by < 0 ? "fewer" : "more"} ${many}`;
}
