/** verifyRequest: what the nodes of a group are to check. */
import { filledNdparams, filledNicparams, type Snapshot } from "@ganeti-ts/config";
import { masterIpScript, type VerifyRequest } from "@ganeti-ts/node-calls";
import type { NodeObject, RealInstance } from "@ganeti-ts/protocol";
import { compareNaturally, diskTemplates, diskTraits } from "@ganeti-ts/protocol";
import { masterAddress } from "../master-ip.js";
import { comparedFiles } from "./verify-common.js";
import { allHvparams } from "./verify-config.js";

interface RequestOptions {
  /** Whether the nodes' copies of the configuration follow it by themselves. */
  readonly hasCopies: boolean;
  /** Whether to look for users with several keys. */
  readonly verifyClutter: boolean;
}

/** Checks of a group's nodes. O(nodes + instances) */
export function verifyRequest(
  now: Snapshot,
  instances: readonly RealInstance[],
  members: readonly NodeObject[],
  { hasCopies, verifyClutter }: RequestOptions,
): VerifyRequest {
  const { cluster } = now;
  const bridges = new Set<string>();
  const filled = instances.flatMap((one) => one.nics.map((nic) => filledNicparams(now, one, nic)));
  for (const { mode, link } of [cluster.nicparams.default, ...filled]) {
    if (mode === "bridged") bridges.add(link);
  }
  const oob = Array.from(now.nodes(), (node) => filledNdparams(now, node).oob_program);
  const enabled = cluster.enabled_hypervisors;
  return {
    clusterName: cluster.cluster_name,
    hypervisorParameters: cluster.hvparams,
    hypervisors: enabled,
    instances: enabled,
    figures: enabled[0] ?? "",
    version: true,
    time: true,
    osList: true,
    clientCertificate: true,
    nodeSetup: true,
    hvparams: Array.from(allHvparams(now), ([owner, hypervisor, hvparams]) => ({
      owner,
      hypervisor,
      hvparams,
    })),
    files: comparedFiles(now, hasCopies).map(({ path }) => path),
    ...reachRequest(now, members),
    ...(cluster.modify_ssh_setup && {
      ...sshRequest(now),
      ...(verifyClutter && { sshClutter: true }),
    }),
    ...storageRequest(now, members),
    bridges: [...bridges],
    userScripts: cluster.use_external_mip_script ? [masterIpScript] : [],
    nodesWithoutInstances: Array.from(now.nodes()).flatMap((node) =>
      node.vm_capable ? [] : node.name,
    ),
    oobPrograms: [...new Set(oob.filter((program) => program !== ""))],
  };
}

/** Nodes whose keys root accepts. Ganeti counts every node as a potential candidate. */
const sshRequest = (now: Snapshot): Pick<VerifyRequest, "sshSetup"> => ({
  sshSetup: {
    nodes: Array.from(now.nodes(), ({ uuid, name, master_candidate, offline }) => ({
      ...{ uuid, name, isCandidate: master_candidate },
      ...{ isPotentialCandidate: true, isOnline: !offline },
    })),
    keyType: now.cluster.ssh_key_type,
  },
});

/**
 * Candidates of the group try to reach its online nodes, by ssh also one node of each other group in turn, and the
 * address of the master.
 */
function reachRequest(now: Snapshot, members: readonly NodeObject[]): Partial<VerifyRequest> {
  const online = members.filter(({ offline }) => !offline);
  const names = online.map(({ name }) => name);
  const candidates = online.flatMap((node) => (node.master_candidate ? node.name : []));
  const nodes = online.map(({ name, primary_ip: primaryIp, secondary_ip: secondaryIp }) => ({
    name,
    primaryIp,
    secondaryIp,
  }));
  return {
    ssh: { nodes: names, more: inOtherGroups(now, members), candidates },
    network: { nodes, candidates },
    master: {
      name: now.node(now.cluster.master_node)?.name ?? "",
      ip: masterAddress(now).ip,
      candidates,
    },
  };
}

/** By online member, one online node of each other group: the nodes of a group take turns. */
function inOtherGroups(
  now: Snapshot,
  members: readonly NodeObject[],
): Readonly<Record<string, readonly string[]>> {
  const byGroup = new Map<string, string[]>();
  for (const { name, group, offline } of now.nodes()) {
    if (offline || group === members[0]?.group) continue;
    byGroup.set(group, [...(byGroup.get(group) ?? []), name]);
  }
  const others = [...byGroup.values()].map((names) => names.sort(compareNaturally));
  const online = members.filter(({ offline }) => !offline);
  return Object.fromEntries(
    online.map(({ name }, at) => {
      const chosen = others.map((names) => names[at % names.length] as string);
      return [name, chosen.sort(compareNaturally)];
    }),
  );
}

function storageRequest(now: Snapshot, members: readonly NodeObject[]): Partial<VerifyRequest> {
  const { cluster } = now;
  const { volume_group_name: volumeGroup, drbd_usermode_helper: drbdHelper } = cluster;
  const templates: readonly string[] = cluster.enabled_disk_templates;
  const isExclusive = members.some((node) => filledNdparams(now, node).exclusive_storage);
  return {
    ...(volumeGroup !== undefined && {
      volumeGroups: true,
      logicalVolumes: volumeGroup,
      physicalVolumes: [volumeGroup],
      ...(isExclusive && { exclusiveStorage: true }),
    }),
    ...(templates.includes("drbd") &&
      drbdHelper && { drbdHelper, drbdVersion: true, drbdList: true }),
    ...(templates.includes("file") || templates.includes("sharedfile")
      ? { acceptedPathsOf: now.node(cluster.master_node)?.name ?? "" }
      : {}),
    fileStorageDirs: Object.fromEntries(
      diskTemplates.flatMap((one) => {
        const { directory } = diskTraits[one];
        return directory !== undefined && templates.includes(one)
          ? [[one, cluster[directory]]]
          : [];
      }),
    ),
  };
}
