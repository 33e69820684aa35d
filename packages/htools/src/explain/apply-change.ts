/** Applies suggested changes. */
import type {
  AllocationChange,
  AllocatorRequest,
  ClusterData,
  GroupData,
  InstanceData,
  NodeData,
} from "@ganeti-ts/protocol";
import type { RequestOptions } from "../allocate/request-options.js";
import { type Resize, resized, withResized } from "./resize.js";

/** A request with its cluster and options. */
export interface Question {
  readonly cluster: ClusterData;
  readonly request: AllocatorRequest;
  readonly options: RequestOptions;
}

/** The question after the change. Unknown names change nothing. */
export function applyChange(question: Question, change: AllocationChange): Question {
  const { cluster } = question;
  switch (change.kind) {
    case "resize":
      return withInstance(question, change.instance, (data) => resized(data, change), change);
    case "remove-tag":
      return withInstance(question, change.instance, (data) => ({
        ...data,
        tags: data.tags.filter((tag) => tag !== change.tag),
      }));
    case "extend-node":
      return withNode(question, change.node, (node) => extended(node, change));
    case "return-node":
      return withNode(question, change.node, (node) => ({ ...node, offline: false }));
    case "remove-node-tag":
      return withNode(question, change.node, (node) => ({
        ...node,
        tags: node.tags.filter((tag) => tag !== change.tag),
      }));
    case "add-nodes":
      return { ...question, cluster: withNewNodes(cluster, change.like, change.by) };
    case "set-group-policy":
      return withGroup(question, change.group, (group) => ({
        ...group,
        allocationPolicy: change.policy,
      }));
    case "connect-group":
      return withGroup(question, change.group, (group) => ({
        ...group,
        networks: [...group.networks, change.network],
      }));
    case "allow-template":
      return withGroup(question, change.group, ({ policy, ...group }) => ({
        ...group,
        policy: { ...policy, diskTemplates: [...policy.diskTemplates, change.template] },
      }));
    case "drop-group-name":
    case "drop-node-restriction":
    case "allow-node":
    case "set-option":
    case "set-required-nodes":
    case "set-relocate-from":
    case "set-evacuation-mode":
    case "any-target-group":
      return withRequestChanged(question, change);
  }
}

type RequestChange = Extract<
  AllocationChange,
  {
    kind:
      | "drop-group-name"
      | "drop-node-restriction"
      | "allow-node"
      | "set-option"
      | "set-required-nodes"
      | "set-relocate-from"
      | "set-evacuation-mode"
      | "any-target-group";
  }
>;

/** A change of the request or the options; the cluster stays as it is. */
function withRequestChanged(question: Question, change: RequestChange): Question {
  const { cluster, request, options } = question;
  switch (change.kind) {
    case "drop-group-name":
      if (!("groupName" in request)) return question;
      return { ...question, request: { ...request, groupName: undefined } };
    case "drop-node-restriction":
      return {
        ...question,
        options: { ...options, restrictTo: undefined },
        request: request.type === "allocate" ? { ...request, restrictToNodes: undefined } : request,
      };
    case "allow-node":
      return withNodeAllowed(question, change.node);
    case "set-option":
      return {
        ...question,
        options:
          change.option === "no-capacity-checks"
            ? { ...options, capacityChecks: false }
            : { ...options, ignoreSoftErrors: true },
      };
    case "set-required-nodes":
      if (!("requiredNodes" in request)) return question;
      return { ...question, request: { ...request, requiredNodes: change.count } };
    case "set-relocate-from": {
      const node = cluster.nodes.findIndex(({ name }) => name === change.node);
      if (request.type !== "relocate" || node < 0) return question;
      return { ...question, request: { ...request, relocateFrom: [node] } };
    }
    case "set-evacuation-mode":
      if (request.type !== "node-evacuate") return question;
      return { ...question, request: { ...request, mode: change.mode } };
    case "any-target-group":
      if (request.type !== "change-group") return question;
      return { ...question, request: { ...request, targetGroups: [] } };
  }
}

/** The same change with one unit less; undefined if that changes nothing, or the change has no amount. */
export function oneLess(change: AllocationChange): AllocationChange | undefined {
  if (!("by" in change) || Math.abs(change.by) <= 1) return undefined;
  return { ...change, by: change.by - Math.sign(change.by) };
}

function withInstance(
  question: Question,
  name: string,
  changed: (data: InstanceData) => InstanceData,
  resize?: Resize,
): Question {
  const { cluster, request } = question;
  switch (request.type) {
    case "allocate": {
      if (request.instance.name !== name) return question;
      return { ...question, request: { ...request, instance: changed(request.instance) } };
    }
    case "multi-allocate": {
      const wanted = request.wanted.map((one) =>
        one.instance.name === name ? { ...one, instance: changed(one.instance) } : one,
      );
      return { ...question, request: { ...request, wanted } };
    }
    default: {
      const at = cluster.instances.findIndex((instance) => instance.name === name);
      if (at < 0) return question;
      const instance = changed(cluster.instances[at] as InstanceData);
      return {
        ...question,
        cluster: resize
          ? withResized(cluster, at, resize)
          : { ...cluster, instances: cluster.instances.with(at, instance) },
      };
    }
  }
}

const withNode = (
  question: Question,
  name: string,
  changed: (node: NodeData) => NodeData,
): Question => {
  const nodes = question.cluster.nodes.map((node) => (node.name === name ? changed(node) : node));
  return { ...question, cluster: { ...question.cluster, nodes } };
};

const withGroup = (
  question: Question,
  name: string,
  changed: (group: GroupData) => GroupData,
): Question => {
  const groups = question.cluster.groups.map((one) => (one.name === name ? changed(one) : one));
  return { ...question, cluster: { ...question.cluster, groups } };
};

function extended(
  node: NodeData,
  { resource, by }: Extract<AllocationChange, { kind: "extend-node" }>,
): NodeData {
  const { memoryTotalMib, memoryFreeMib, diskTotalMib, diskFreeMib } = node;
  switch (resource) {
    case "memory":
      return {
        ...node,
        memoryTotalMib: memoryTotalMib + by,
        memoryFreeMib: memoryFreeMib + by,
      };
    case "disk":
      return { ...node, diskTotalMib: diskTotalMib + by, diskFreeMib: diskFreeMib + by };
    case "spindles":
      return {
        ...node,
        spindleTotal: node.spindleTotal + by,
        spindleFree: node.spindleFree + by,
      };
    case "cpus":
      return { ...node, cpuTotal: node.cpuTotal + by };
  }
}

function withNewNodes(cluster: ClusterData, like: string, count: number): ClusterData {
  const model = cluster.nodes.find(({ name }) => name === like);
  if (model === undefined) return cluster;
  const added = Array.from({ length: count }, (_, at) => ({
    ...model,
    name: `new${at + 1}-${like}`,
    offline: false,
    master: false,
    memoryFreeMib: Math.trunc(model.memoryTotalMib) - model.memoryNodeMib,
    diskFreeMib: Math.trunc(model.diskTotalMib),
    spindleFree: model.spindleTotal,
  }));
  return { ...cluster, nodes: [...cluster.nodes, ...added] };
}

function withNodeAllowed(question: Question, node: string): Question {
  const { request, options } = question;
  if (options.restrictTo !== undefined) {
    return { ...question, options: { ...options, restrictTo: [...options.restrictTo, node] } };
  }
  if (request.type !== "allocate" || request.restrictToNodes === undefined) return question;
  const restrictToNodes = [...request.restrictToNodes, node];
  return { ...question, request: { ...request, restrictToNodes } };
}
