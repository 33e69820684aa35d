/**
 * Checks that the nodes of a group agree on files, sizes of physical volumes and versions of DRBD.
 */

import { type Snapshot, ssconfValues } from "@ganeti-ts/config";
import { configurationDirectory, dataDirectory } from "@ganeti-ts/node-calls";
import { compareNaturally } from "@ganeti-ts/protocol";
import { type AncillaryFile, ancillaryFiles } from "../ancillary-files.js";
import type { Findings } from "./findings.js";
import { type GroupFacts, verificationOf } from "./verify-facts.js";

const acceptedPaths = `${configurationDirectory}/file-storage-paths`;

/** Files that either all nodes or none must have; those of hypervisors are such as well. */
const optional: ReadonlySet<string> = new Set([`${dataDirectory}/rapi/users`, acceptedPaths]);

/** File whose copies are compared among master candidates. */
const configurationFile = `${dataDirectory}/config.data`;

/** A file to compare; `forCandidates`: other nodes need not have it. */
interface ComparedFile extends AncillaryFile {
  readonly forCandidates?: boolean;
}

/**
 * Files that must be the same on all nodes: the ancillary ones, ssconf files, and others that are not distributed
 * with them; where candidates hold copies of the configuration, that file as well. O(instances).
 */
export function comparedFiles(now: Snapshot, hasCopies: boolean): readonly ComparedFile[] {
  const templates: readonly string[] = now.cluster.enabled_disk_templates;
  const others = [
    `${dataDirectory}/server.pem`,
    ...Object.keys(ssconfValues(now)).map((key) => `${dataDirectory}/ssconf_${key}`),
    ...(templates.includes("file") || templates.includes("sharedfile") ? [acceptedPaths] : []),
  ];
  return [
    ...ancillaryFiles(now),
    ...others.map((path) => ({ path, forInstances: false })),
    ...(hasCopies ? [{ path: configurationFile, forInstances: false, forCandidates: true }] : []),
  ];
}

/** Compares files within the group, with the master and with a node of another group. A file that no node has is not reported. */
export function checkCommonFiles(findings: Findings, facts: GroupFacts): void {
  const { now, members, elsewhere } = facts;
  const answers = [
    ...members.flatMap((node) => {
      const verified = facts.nodes.get(node.uuid)?.verified;
      return verified === undefined ? [] : { node, verified };
    }),
    ...elsewhere,
  ];
  for (const { node, verified } of answers) {
    const text = "Node did not return file checksum data";
    findings.addIf(!verified.ok && !verified.offline, "ENODEFILECHECK", node.name, text);
  }
  for (const { path, forInstances, forCandidates } of comparedFiles(now, facts.hasCopies)) {
    const sums = new Map<string, string[]>();
    const missing: string[] = [];
    for (const { node, verified } of answers) {
      const { name, vm_capable, master_candidate } = node;
      if (forCandidates && !master_candidate) continue;
      const files = verified.ok ? verified.value.files : undefined;
      if (files === undefined || (forInstances && !vm_capable)) continue;
      const sum = files[path];
      if (sum === undefined) missing.push(name);
      else sums.set(sum, [...(sums.get(sum) ?? []), name]);
    }
    if (sums.size === 0) continue;
    const listed = (names: readonly string[]) => [...names].sort(compareNaturally).join(", ");
    findings.addIf(
      missing.length > 0,
      "ECLUSTERFILECHECK",
      null,
      forInstances || optional.has(path)
        ? `File ${path} is optional, but it must exist on all or no nodes (not found on ${listed(missing)})`
        : `File ${path} is missing from node(s) ${listed(missing)}`,
    );
    const variants = [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, names], at) => `variant ${at + 1} on ${listed(names)}`);
    findings.addIf(
      sums.size > 1,
      "ECLUSTERFILECHECK",
      null,
      `File ${path} found with ${sums.size} different checksums (${variants.join("; ")})`,
    );
  }
}

/** Ganeti names nodes by their UUIDs here. */
export function checkMirrorVersions(findings: Findings, facts: GroupFacts): void {
  const versions = facts.members.flatMap(({ uuid, name }) => {
    const version = verificationOf(facts, uuid)?.drbdVersion;
    return version === undefined ? [] : [[name, version] as const];
  });
  if (new Set(versions.map(([, version]) => version)).size <= 1) return;
  for (const [name, version] of versions.sort(([a], [b]) => compareNaturally(a, b))) {
    findings.add("ENODEDRBDHELPER", name, `DRBD version mismatch: ${version}`, "WARNING");
  }
}

/**
 * Largest accepted ratio between sizes of physical volumes where storage is exclusive, minus one.
 */
const sizeMargin = 0.01;

export function checkVolumeSizes(findings: Findings, facts: GroupFacts): void {
  const { now, group, members, request } = facts;
  const name = now.cluster.volume_group_name;
  if (name === undefined || request.exclusiveStorage !== true) return;
  const sizes = members.flatMap((node) =>
    (verificationOf(facts, node.uuid)?.physicalVolumes ?? [])
      .filter(({ volumeGroup }) => volumeGroup === name)
      .map(({ sizeMib }) => ({ sizeMib, node: node.name })),
  );
  const [smallest, ...others] = sizes.sort((a, b) => a.sizeMib - b.sizeMib);
  const biggest = others.at(-1) ?? smallest;
  if (smallest === undefined || biggest === undefined) return;
  const isFar = smallest.sizeMib * (1 + sizeMargin) < biggest.sizeMib * (1 - sizeMargin);
  findings.addIf(
    isFar,
    "EGROUPDIFFERENTPVSIZE",
    group.name,
    `PV sizes differ too much in the group; smallest (${smallest.sizeMib} MB) is on ${smallest.node}, biggest (${biggest.sizeMib} MB) is on ${biggest.node}`,
  );
}
