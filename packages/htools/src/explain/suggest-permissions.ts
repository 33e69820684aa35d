/** Suggestions to lift restrictions: of the request, of its tags, of groups, of the options. */
import { type AllocationChange, type AllocatorRequest, isMirrored } from "@ganeti-ts/protocol";
import type { Problem } from "./problem.js";
import { nodeName } from "./refusal.js";

/** Changes without an amount that may help on their own, the smallest changes first. */
export function permissions(problem: Problem): AllocationChange[] {
  const { instance, data } = problem;
  const tags = [...new Set(instance.exclusionTags)].map(
    (tag): AllocationChange => ({ kind: "remove-tag", instance: data.name, tag }),
  );
  return [
    ...tags,
    ...ofRequest(problem),
    ...ofGroups(problem),
    ...ofNode(problem),
    ...ofOptions(problem),
  ];
}

/** Migration tags of the node of an existing instance. */
function ofNode({ cluster, data }: Problem): AllocationChange[] {
  const tags = cluster.facts.migrationTags[data.primary] ?? [];
  const node = cluster.data.nodes[data.primary]?.name ?? "";
  return tags.map((tag): AllocationChange => ({ kind: "remove-node-tag", node, tag }));
}

function ofRequest({ cluster, request, options, instance }: Problem): AllocationChange[] {
  switch (request.type) {
    case "allocate":
    case "multi-allocate":
      return [
        ...requiredNodes(request, instance.data.name),
        ...restrictions(request, options.restrictTo, cluster.data.nodes),
        ...(request.groupName === undefined ? [] : [{ kind: "drop-group-name" } as const]),
      ];
    case "relocate": {
      const { instanceIndex, requiredNodes: count } = request;
      const secondary = cluster.secondaryOf[instanceIndex] as number;
      const leaving = secondary >= 0 ? secondary : (cluster.primaryOf[instanceIndex] as number);
      const node = nodeName(cluster, leaving);
      return [
        ...(count === 1 ? [] : [{ kind: "set-required-nodes", count: 1 } as const]),
        { kind: "set-relocate-from", node },
      ];
    }
    case "node-evacuate": {
      const mode = request.mode === "all" ? "primary-only" : "all";
      return [{ kind: "set-evacuation-mode", mode }];
    }
    case "change-group":
      return request.targetGroups.length > 0 ? [{ kind: "any-target-group" }] : [];
    case "capacity":
    case "allocate-secondary":
    case "balance":
      return [];
  }
}

type Allocation = Extract<AllocatorRequest, { type: "allocate" | "multi-allocate" }>;

/** Only for requests for one instance. */
function requiredNodes(request: Allocation, name: string): AllocationChange[] {
  if (request.type !== "allocate" || request.instance.name !== name) return [];
  const count = isMirrored(request.instance.diskTemplate) ? 2 : 1;
  return request.requiredNodes === count ? [] : [{ kind: "set-required-nodes", count }];
}

const nodesAllowedMax = 8;

function restrictions(
  request: Allocation,
  restrictTo: readonly string[] | undefined,
  nodes: Problem["cluster"]["data"]["nodes"],
): AllocationChange[] {
  const names = restrictTo ?? (request.type === "allocate" ? request.restrictToNodes : undefined);
  if (names === undefined) return [];
  const further = nodes.filter(({ name, offline }) => !offline && !names.includes(name));
  return [
    ...further
      .slice(0, nodesAllowedMax)
      .map(({ name }): AllocationChange => ({ kind: "allow-node", node: name })),
    { kind: "drop-node-restriction" },
  ];
}

function ofGroups({ cluster, instance }: Problem): AllocationChange[] {
  const { diskTemplate, networks } = instance.data;
  return cluster.data.groups.flatMap((group, index): AllocationChange[] => {
    if (cluster.nodesByGroup[index]?.length === 0) return [];
    const missing = networks.filter(
      (network): network is string => network !== null && !group.networks.includes(network),
    );
    return [
      ...[...new Set(missing)].map(
        (network): AllocationChange => ({ kind: "connect-group", group: group.name, network }),
      ),
      ...(group.policy.diskTemplates.includes(diskTemplate)
        ? []
        : [{ kind: "allow-template", group: group.name, template: diskTemplate } as const]),
      ...(group.allocationPolicy === "unallocable"
        ? [{ kind: "set-group-policy", group: group.name, policy: "last_resort" } as const]
        : []),
    ];
  });
}

function ofOptions({ options }: Problem): AllocationChange[] {
  return [
    ...(options.capacityChecks
      ? [{ kind: "set-option", option: "no-capacity-checks" } as const]
      : []),
    ...(options.ignoreSoftErrors
      ? []
      : [{ kind: "set-option", option: "ignore-soft-errors" } as const]),
  ];
}
