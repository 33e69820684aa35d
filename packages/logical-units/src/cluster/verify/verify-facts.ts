/** Facts gathered for the verification of a group, and the checks on the group as a whole. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import {
  diskTemplate,
  filledBeparams,
  type Snapshot,
  secondCertificateOf,
  shareOf,
  sumOfShares,
} from "@ganeti-ts/config";
import type {
  DeviceAnswer,
  Fault,
  NodeAnswer,
  Verification,
  VerifyRequest,
} from "@ganeti-ts/node-calls";
import type {
  GroupObject,
  InstanceObject,
  NodeObject,
  NodeUuid,
  RealInstance,
} from "@ganeti-ts/protocol";
import { isMirrored, isShared } from "@ganeti-ts/protocol";
import { reservedVolumes, volumesOf } from "../volumes.js";
import type { Findings } from "./findings.js";

export interface NodeFacts {
  readonly verified: NodeAnswer<Verification>;
}

export interface GroupFacts {
  readonly now: Snapshot;
  readonly group: GroupObject;
  /** In natural order, as are the instances whose primary node is a member. */
  readonly members: readonly NodeObject[];
  /** Instances and reservations. */
  readonly listed: readonly InstanceObject[];
  readonly instances: readonly RealInstance[];
  /** Answers of the online members. */
  readonly nodes: ReadonlyMap<NodeUuid, NodeFacts>;
  /** Files of the master and of one node of another group, unless they are members. */
  readonly elsewhere: readonly (NodeFacts & { readonly node: NodeObject })[];
  /** Volumes on nodes of other groups that have mirrors of these instances. */
  readonly extra: ReadonlyMap<NodeUuid, readonly string[]>;
  /** By instance and node, one answer for each disk. */
  readonly disks: ReadonlyMap<string, ReadonlyMap<NodeUuid, readonly DeviceAnswer[]>>;
  /** Times at which the first question was sent and the last answer received. */
  readonly startedMicros: number;
  readonly endedMicros: number;
  readonly request: VerifyRequest;
  /** Whether master candidates hold copies of the configuration. */
  readonly hasCopies: boolean;
}

export const verificationOf = ({ nodes }: GroupFacts, node: NodeUuid): Verification | undefined => {
  const verified = nodes.get(node)?.verified;
  return verified?.ok ? verified.value : undefined;
};

/** The part of the answer, or undefined if the node could not carry it out. */
export const unlessFault = <T extends object>(part: T | Fault | undefined): T | undefined =>
  part === undefined || "fault" in part ? undefined : (part as T);

/** Names of logical volumes that share a physical volume, by its name. */
export const sharedVolumes = ({
  sharedPhysicalVolumes = [],
}: Verification): ReadonlyMap<string, readonly string[]> =>
  new Map(sharedPhysicalVolumes.map(({ name, volumes }) => [name, volumes]));

/** Volumes as `group/volume`; undefined if the node did not list them. */
export function volumesOn(facts: GroupFacts, node: NodeUuid): readonly string[] | undefined {
  const extra = facts.extra.get(node);
  if (extra !== undefined) return extra;
  return unlessFault(verificationOf(facts, node)?.logicalVolumes)?.map(
    ({ volumeGroup, name }) => `${volumeGroup}/${name}`,
  );
}

const renewHint =
  "To rebuild node certificates, please run 'gnt-cluster renew-crypto --new-node-certificates'.";

/** Digest of the certificate that the node uses; undefined if it does not report one. */
function digestOf(facts: NodeFacts | undefined): string | undefined {
  const certificate = facts?.verified.ok ? facts.verified.value.clientCertificate : undefined;
  return certificate?.severity === null ? certificate.text : undefined;
}

/** Keys by which root of one node logs in to the others, and users that have several. */
export function checkSshSetup(findings: Findings, { members, nodes }: GroupFacts): void {
  for (const { uuid, offline } of members) {
    const verified = nodes.get(uuid)?.verified;
    if (offline || !verified?.ok) continue;
    const { sshSetup = [], sshClutter = [] } = verified.value;
    for (const faults of [sshSetup, sshClutter]) {
      findings.addIf(faults.length > 0, "ENODESSH", null, faults.join(" "));
    }
  }
}

/** Candidates must use the certificates that the configuration records for them. */
export function checkCertificates(findings: Findings, { now, members, nodes }: GroupFacts): void {
  const known = now.cluster.candidate_certs;
  const digests = Object.values(known);
  const problems: string[] = [];
  if (digests.length === 0) {
    findings.add(
      "ECLUSTERCLIENTCERT",
      null,
      `The cluster's list of master candidate certificates is empty. This may be because you just updated the cluster. ${renewHint}`,
      "WARNING",
    );
    return;
  }
  if (new Set(digests).size < digests.length) {
    problems.push(
      "There are at least two master candidates configured to use the same certificate.",
    );
  }
  const { master_node } = now.cluster;
  const isHere = members.some(({ uuid }) => uuid === master_node);
  if (isHere && known[secondCertificateOf(master_node)] !== undefined) {
    problems.push(
      "The master is listed with two certificates, because a renewal of its certificate was interrupted.",
    );
  }
  for (const { uuid, name, master_candidate } of members) {
    const digest = digestOf(nodes.get(uuid));
    if (digest === undefined) continue;
    const expected = known[uuid];
    const isAnothers = digests.includes(digest);
    if (master_candidate && expected === undefined) {
      problems.push(
        `The master candidate '${name}' does not have an entry in the map of candidate certificates.`,
      );
      if (isAnothers) {
        problems.push(`Master candidate '${name}' is using a certificate of another node.`);
      }
    } else if (master_candidate && digest !== expected) {
      problems.push(
        `Client certificate digest of master candidate '${name}' does not match its entry in the cluster's map of master candidate certificates. Expected: ${digest} Got: ${expected}`,
      );
    } else if (!master_candidate && expected !== undefined) {
      problems.push(
        `Node '${name}' is not a master candidate, but still listed in the map of master candidate certificates.`,
      );
    } else if (!master_candidate && isAnothers) {
      problems.push(
        `Node '${name}' is not a master candidate and is incorrectly using a certificate of another node which is master candidate.`,
      );
    }
  }
  if (problems.length > 0) problems.push(renewHint);
  for (const problem of problems) findings.add("ECLUSTERCLIENTCERT", null, problem);
}

/** Orphan volumes, memory for failovers and reservations, and the closing notes. */
export function checkGroup(
  findings: Findings,
  facts: GroupFacts,
  { nPlusOne }: { readonly nPlusOne: boolean },
): void {
  findings.step("* Verifying orphan volumes");
  for (const node of facts.members) checkOrphans(findings, facts, node);
  if (nPlusOne) {
    findings.step("* Verifying N+1 Memory redundancy");
    for (const node of facts.members) checkNPlusOne(findings, facts, node);
  }
  findings.step("* Other Notes");
  for (const [count, text] of notes(facts)) {
    if (count > 0) findings.step(`  - NOTICE: ${count} ${text} found.`);
  }
}

function checkOrphans(findings: Findings, facts: GroupFacts, { uuid, name }: NodeObject): void {
  const { now } = facts;
  const { volume_group_name: group, reserved_lvs } = now.cluster;
  const { primary, secondary } = now.instancesOfNode(uuid);
  const expected = new Set(
    [...primary, ...secondary].flatMap((one) => volumesOf(now, one).get(uuid) ?? []),
  );
  const isReserved = reservedVolumes(reserved_lvs);
  for (const volume of volumesOn(facts, uuid) ?? []) {
    if (volume.split("/")[0] !== group || expected.has(volume)) continue;
    if (isReserved(volume)) continue;
    findings.add("ENODEORPHANLV", name, `volume ${volume} is unknown`, "WARNING");
  }
}

/** Memory for instances that would fail over from any one other node, and for reservations. */
function checkNPlusOne(findings: Findings, facts: GroupFacts, { uuid, name }: NodeObject): void {
  const { now } = facts;
  const available = verificationOf(facts, uuid)?.figures?.memoryFreeMib;
  if (available === undefined) return;
  const needed = new Map<NodeUuid, number>();
  for (const instance of now.instancesOfNode(uuid).secondary) {
    if (instance.forthcoming) continue;
    const { auto_balance, minmem } = filledBeparams(now, instance);
    const { primary_node } = instance;
    needed.set(primary_node, (needed.get(primary_node) ?? 0) + (auto_balance ? minmem : 0));
  }
  for (const [primary, mib] of needed) {
    findings.addIf(
      available < mib,
      "ENODEN1",
      name,
      `not enough memory to accomodate instance failovers should node ${now.node(primary)?.name} fail (${mib}MiB needed, ${available}MiB available)`,
    );
  }
  const waiting = now.instancesOfNode(uuid).primary.filter(({ forthcoming }) => forthcoming);
  const { memoryMib: reservedMib } = sumOfShares(waiting.map((one) => shareOf(now, one, uuid)));
  if (reservedMib <= available) return;
  findings.add(
    "ENODEN1",
    name,
    `not enough memory for reserved instances ${waiting.map(instanceLabel).join(", ")} (${reservedMib}MiB needed, ${available}MiB available)`,
  );
}

function* notes({ now, members, listed }: GroupFacts): Iterable<readonly [number, string]> {
  const isRedundant = (template?: string) => isMirrored(template) || isShared(template);
  const count = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length;
  yield [
    count(listed, (one) => one.disks.length > 0 && !isRedundant(diskTemplate(now, one))),
    "non-redundant instance(s)",
  ];
  yield [
    count(listed, (one) => !filledBeparams(now, one).auto_balance),
    "non-auto-balanced instance(s)",
  ];
  yield [count(listed, ({ admin_state }) => admin_state === "offline"), "offline instance(s)"];
  yield [count(members, ({ offline }) => offline), "offline node(s)"];
  yield [count(members, ({ drained, offline }) => drained && !offline), "drained node(s)"];
}
