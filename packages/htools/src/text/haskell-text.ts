/** Texts that reveal Ganeti's implementation language: records as Haskell prints them. */
import {
  type DiskTemplate,
  type GroupData,
  type InstancePolicy,
  type InstanceSpec,
  quoted,
} from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import { formatShow } from "./number-format.js";

const policyConstructors = {
  preferred: "AllocPreferred",
  last_resort: "AllocLastResort",
  unallocable: "AllocUnallocable",
} as const;

const templateConstructors: Record<DiskTemplate, string> = {
  diskless: "DTDiskless",
  file: "DTFile",
  sharedfile: "DTSharedFile",
  plain: "DTPlain",
  blockdev: "DTBlock",
  drbd: "DTDrbd8",
  rbd: "DTRbd",
  ext: "DTExt",
  gluster: "DTGluster",
};

/** Reason why an instance cannot change its group; lists the groups that have nodes. */
export function noGroupsText({ data, nodesByGroup }: Cluster, allowed: readonly number[]): string {
  const groups = data.groups
    .map((group, index) => ({ group, index }))
    .filter(({ index }) => (nodesByGroup[index] ?? []).length > 0)
    .map(({ group, index }) => groupRecord(group, index));
  const allowedText = `Just [${allowed.join(",")}]`;
  return `no groups for evacuation: allowed groups was ${allowedText}, all groups: [${groups.join(",")}]`;
}

const groupRecord = (group: GroupData, index: number): string =>
  record("Group", {
    name: quoted(group.name),
    uuid: quoted(group.uuid),
    idx: String(index),
    allocPolicy: policyConstructors[group.allocationPolicy],
    networks: list(group.networks.map(quoted)),
    iPolicy: policyRecord(group.policy),
    allTags: list(group.tags.map(quoted)),
  });

/** A policy as `-vv` prints it, on one line. */
export function policyRecord(policy: InstancePolicy): string {
  const bounds = policy.minMax.map(({ min, max }) =>
    record("MinMaxISpecs", {
      minMaxISpecsMinSpec: specRecord(min),
      minMaxISpecsMaxSpec: specRecord(max),
    }),
  );
  return record("IPolicy", {
    iPolicyMinMaxISpecs: list(bounds),
    iPolicyStdSpec: specRecord(policy.std),
    iPolicyDiskTemplates: list(policy.diskTemplates.map((name) => templateConstructors[name])),
    iPolicyVcpuRatio: formatShow(policy.vcpuRatio),
    iPolicySpindleRatio: formatShow(policy.spindleRatio),
  });
}

const specRecord = (spec: InstanceSpec): string =>
  record("ISpec", {
    iSpecMemorySize: signed(spec.memoryMib),
    iSpecCpuCount: signed(spec.cpuCount),
    iSpecDiskSize: signed(spec.diskMib),
    iSpecDiskCount: signed(spec.diskCount),
    iSpecNicCount: signed(spec.nicCount),
    iSpecSpindleUse: signed(spec.spindleUse),
  });

const record = (name: string, fields: Record<string, string>): string => {
  const texts = Object.entries(fields).map(([key, value]) => `${key} = ${value}`);
  return `${name} {${texts.join(", ")}}`;
};
const list = (items: readonly string[]): string => `[${items.join(",")}]`;
const signed = (value: number): string => String(value);
