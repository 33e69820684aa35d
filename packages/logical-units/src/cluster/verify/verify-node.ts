/** Checks of one node against its own answers. */
import { devicesOfClaim, protocolVersion, softwareVersion } from "@ganeti-ts/config";
import type { OsDefinition, Verification } from "@ganeti-ts/node-calls";
import type { DiskObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { compareNaturally, pythonLiteral } from "@ganeti-ts/protocol";
import type { Findings } from "./findings.js";
import { type GroupFacts, sharedVolumes, unlessFault, verificationOf } from "./verify-facts.js";

/** Largest accepted clock difference between nodes (s). */
const clockSkewSeconds = 150;
const volumeGroupMinMib = 20_480;

export function checkNode(findings: Findings, facts: GroupFacts, node: NodeObject): void {
  const known = facts.nodes.get(node.uuid);
  if (known === undefined) return;
  if (!known.verified.ok) {
    findings.add("ENODERPC", node.name, `while contacting node: ${known.verified.message}`);
    return;
  }
  const said = known.verified.value;
  if (!checkVersion(findings, node, said)) return;
  checkHypervisors(findings, node, said);
  const { nodeSetup = [] } = said;
  findings.addIf(
    nodeSetup.length > 0,
    "ENODESETUP",
    node.name,
    `node setup error: ${nodeSetup.join("; ")}`,
  );
  checkTime(findings, facts, node, said);
  checkNetwork(findings, facts, node, said);
  checkFiles(findings, node, said);
  if (!node.vm_capable) return;
  checkVolumes(findings, facts, node, said);
  checkMirrors(findings, facts, node, said);
  checkSystems(findings, facts, node);
  const missing = said.missingBridges ?? [];
  findings.addIf(
    missing.length > 0,
    "ENODENET",
    node.name,
    `missing bridges: ${[...missing].sort().join(", ")}`,
  );
  checkStrangers(findings, facts, node, said);
  checkExclusionTags(findings, facts, node);
}

function checkVersion(
  findings: Findings,
  { name }: NodeObject,
  { version }: Verification,
): boolean {
  if (version === undefined) {
    findings.add("ENODEVERSION", name, "node hasn't returned its version");
    return false;
  }
  const { protocol, release } = version;
  if (protocol !== protocolVersion) {
    findings.add(
      "ENODEVERSION",
      name,
      `incompatible protocol versions: master ${protocolVersion}, node ${protocol}`,
    );
    return false;
  }
  findings.addIf(
    release !== softwareVersion,
    "ENODEVERSION",
    name,
    `software version mismatch: master ${softwareVersion}, node ${release}`,
    "WARNING",
  );
  return true;
}

function checkHypervisors(
  findings: Findings,
  { name, vm_capable }: NodeObject,
  { hypervisors = {}, hvparams = [] }: Verification,
): void {
  if (!vm_capable) return;
  for (const [hypervisor, fault] of Object.entries(hypervisors)) {
    findings.addIf(
      fault !== null,
      "ENODEHV",
      name,
      `hypervisor ${hypervisor} verify failure: '${fault ?? "None"}'`,
    );
  }
  for (const { owner, hypervisor, fault } of hvparams) {
    findings.add(
      "ENODEHV",
      name,
      `hypervisor ${hypervisor} parameter verify failure (source ${owner}): ${fault}`,
    );
  }
}

function checkTime(
  findings: Findings,
  { startedMicros, endedMicros }: GroupFacts,
  { name }: NodeObject,
  { wallMicros }: Verification,
): void {
  if (wallMicros === undefined) return;
  const early = (startedMicros - wallMicros) / 1e6;
  const late = (wallMicros - endedMicros) / 1e6;
  const apart = Math.max(early, late);
  findings.addIf(
    apart > clockSkewSeconds,
    "ENODETIME",
    name,
    `Node time diverges by at least ${apart.toFixed(1)}s from master node time`,
  );
}

function checkNetwork(
  findings: Findings,
  { now }: GroupFacts,
  { uuid, name }: NodeObject,
  { unreachedBySsh = {}, unreachedByTcp = {}, masterReached }: Verification,
): void {
  for (const [peer, why] of Object.entries(unreachedBySsh)) {
    findings.add("ENODESSH", name, `ssh communication with node '${peer}': ${why}`);
  }
  for (const peer of Object.keys(unreachedByTcp).sort(compareNaturally)) {
    const why = unreachedByTcp[peer];
    findings.add("ENODENET", name, `tcp communication with node '${peer}': ${why}`);
  }
  findings.addIf(
    masterReached === false,
    "ENODENET",
    name,
    uuid === now.cluster.master_node
      ? "the master node cannot reach the master IP (not configured?)"
      : "cannot reach the master IP",
  );
}

/** Scripts, programs, and directories for disks in files. */
function checkFiles(findings: Findings, node: NodeObject, said: Verification): void {
  const scripts = said.missingUserScripts ?? [];
  findings.addIf(
    scripts.length > 0,
    "ENODEUSERSCRIPTS",
    node.name,
    `user scripts not present or not executable: ${[...scripts].sort().join(", ")}`,
  );
  if (node.master_candidate || node.master_capable) {
    for (const fault of said.oobFaults ?? []) {
      if (fault !== null) findings.add("ENODEOOBPATH", node.name, fault);
    }
  }
  const forbidden = said.forbiddenStoragePaths ?? [];
  findings.addIf(
    forbidden.length > 0,
    "ENODEFILESTORAGEPATHS",
    node.name,
    `Found forbidden file storage paths: ${forbidden.join(", ")}`,
  );
  for (const [template, fault] of Object.entries(said.fileStorageFaults ?? {})) {
    const kind = template === "file" ? "" : template === "sharedfile" ? "SHARED" : "GLUSTER";
    findings.add(
      kind === "GLUSTER"
        ? "ENODEGLUSTERSTORAGEPATHUNUSABLE"
        : `ENODE${kind}FILESTORAGEPATHUNUSABLE`,
      node.name,
      `The configured ${template} storage path is unusable: ${fault}`,
    );
  }
}

function checkVolumes(
  findings: Findings,
  { now }: GroupFacts,
  { name }: NodeObject,
  said: Verification,
): void {
  const volumeGroups = unlessFault(said.volumeGroups);
  const shared = sharedVolumes(said);
  const group = now.cluster.volume_group_name;
  if (group === undefined) return;
  const sizeMib = volumeGroups?.[group];
  if (volumeGroups === undefined || Object.keys(volumeGroups).length === 0) {
    findings.add("ENODELVM", name, "unable to check volume groups");
  } else if (sizeMib === undefined) {
    findings.add("ENODELVM", name, `volume group '${group}' missing`);
  } else {
    findings.addIf(
      sizeMib < volumeGroupMinMib,
      "ENODELVM",
      name,
      `volume group '${group}' too small (${volumeGroupMinMib} MiB required, ${sizeMib} MiB found)`,
    );
  }
  for (const physical of said.physicalVolumes ?? []) {
    findings.addIf(
      physical.name.includes(":"),
      "ENODELVM",
      name,
      `Invalid character ':' in PV '${physical.name}' of VG '${physical.volumeGroup}'`,
    );
    findings.addIf(
      shared.has(physical.name),
      "ENODELVM",
      name,
      `PV ${physical.name} is shared among unrelated LVs (${shared.get(physical.name)?.join(", ")})`,
    );
  }
  if (sizeMib === undefined) {
    findings.add(
      "ENODELVM",
      name,
      `node didn't return data for the volume group '${group}' - it is either missing or broken`,
    );
  }
}

/** The minor of a mirror on the node. */
function minorOn(node: NodeUuid, { dev_type, logical_id = [] }: DiskObject): number | undefined {
  if (dev_type !== "drbd") return undefined;
  return Number(logical_id[0] === node ? logical_id[3] : logical_id[4]);
}

/** Compares the DRBD minors in use with those in the configuration. */
function checkMirrors(
  findings: Findings,
  { now, request }: GroupFacts,
  { uuid, name }: NodeObject,
  { drbdHelper, ...said }: Verification,
): void {
  const drbdMinors = unlessFault(said.drbdMinors) ?? [];
  if (request.drbdHelper === undefined) return;
  if (drbdHelper === undefined) {
    findings.add("ENODEDRBDHELPER", name, "no drbd usermode helper returned");
  } else if (!drbdHelper.ok) {
    findings.add(
      "ENODEDRBDHELPER",
      name,
      `drbd usermode helper check unsuccessful: ${drbdHelper.text}`,
    );
  } else {
    findings.addIf(
      drbdHelper.text !== request.drbdHelper,
      "ENODEDRBDHELPER",
      name,
      `wrong drbd usermode helper: ${drbdHelper.text}`,
    );
  }
  const claimed = now.claimsOfNode(uuid).flatMap(devicesOfClaim);
  const allocated = new Set(claimed.flatMap((disk) => minorOn(uuid, disk) ?? []));
  const { primary, secondary } = now.instancesOfNode(uuid);
  for (const instance of [...primary, ...secondary]) {
    for (const device of now.disksOf(instance)) {
      const { uuid: disk } = device;
      const minor = minorOn(uuid, device);
      if (minor === undefined) continue;
      allocated.add(minor);
      findings.addIf(
        instance.disks_active === true && !instance.forthcoming && !drbdMinors.includes(minor),
        "ENODEDRBD",
        name,
        `drbd minor ${minor} of disk ${disk} (attached in instance '${instance.name}') is not active`,
      );
    }
  }
  for (const minor of drbdMinors) {
    findings.addIf(
      !allocated.has(minor),
      "ENODEDRBD",
      name,
      `unallocated drbd minor ${minor} is in use`,
    );
  }
}

/** Operating systems of a node; undefined if it does not report them. */
const systemsOf = (facts: GroupFacts, { uuid }: NodeObject): readonly OsDefinition[] | undefined =>
  verificationOf(facts, uuid)?.osList;

/** Every node must have the same operating systems as the first node that can have instances. */
function checkSystems(findings: Findings, facts: GroupFacts, node: NodeObject): void {
  const own = systemsOf(facts, node);
  if (own === undefined) {
    findings.add("ENODEOS", node.name, "node hasn't returned valid OS data");
    return;
  }
  const reference = facts.members.find(
    (one) => one.vm_capable && systemsOf(facts, one) !== undefined,
  );
  const referred = reference && systemsOf(facts, reference);
  if (reference === undefined || referred === undefined) return;
  const byName = firstByName(own);
  const others = firstByName(referred);
  for (const [name, definition] of byName) {
    findings.addIf(
      !definition.valid,
      "ENODEOS",
      node.name,
      `Invalid OS ${name} (located at ${definition.path}): ${definition.fault}`,
    );
    const paths = own.filter((one) => one.name === name).map(({ path }) => path);
    findings.addIf(
      paths.length > 1,
      "ENODEOS",
      node.name,
      `OS '${name}' has multiple entries (first one shadows the rest): ${paths.join(", ")}`,
    );
    const base = others.get(name);
    if (base === undefined) {
      findings.add(
        "ENODEOS",
        node.name,
        `Extra OS ${name} not present on reference node (${reference.name})`,
      );
    } else if (base.valid) {
      compareSystems(findings, node.name, reference.name, definition, base);
    }
  }
  const missing = [...others.keys()].filter((name) => !byName.has(name));
  findings.addIf(
    missing.length > 0,
    "ENODEOS",
    node.name,
    `OSes present on reference node ${reference.name} but missing on this node: ${missing.join(", ")}`,
  );
}

const firstByName = (systems: readonly OsDefinition[]): ReadonlyMap<string, OsDefinition> =>
  new Map([...systems].reverse().map((system) => [system.name, system]));

function compareSystems(
  findings: Findings,
  node: string,
  reference: string,
  own: OsDefinition,
  base: OsDefinition,
): void {
  const shown = ({ apiVersions, variants, parameters }: OsDefinition) => ({
    "API version": [...apiVersions].sort((a, b) => a - b).join(", "),
    "variants list": [...variants].sort().join(", "),
    parameters: parameters
      .map(([name, help]) => `${name}: ${help}`)
      .sort()
      .join(", "),
  });
  const theirs = shown(base);
  for (const [kind, text] of Object.entries(shown(own))) {
    const other = theirs[kind as keyof typeof theirs];
    findings.addIf(
      text !== other,
      "ENODEOS",
      node,
      `OS ${kind} for ${own.name} differs from reference node ${reference}: [${text}] vs. [${other}]`,
    );
  }
  const truth = (value: boolean) => (value ? "True" : "False");
  findings.addIf(
    own.trusted !== base.trusted,
    "ENODEOS",
    node,
    `OS trusted for ${own.name} differs from reference node ${reference}: ${truth(own.trusted)} vs. ${truth(base.trusted)}`,
  );
}

/** Instances that run on this node and should run elsewhere or not at all. */
function checkStrangers(
  findings: Findings,
  { now }: GroupFacts,
  { uuid, name }: NodeObject,
  said: Verification,
): void {
  const instances = unlessFault(said.instances);
  if (instances === undefined) {
    findings.add("ENODEHV", name, "rpc call to node failed (instancelist): None");
    return;
  }
  for (const running of instances) {
    const known = now.findInstance(running);
    if (known === undefined) {
      findings.add("ENODEORPHANINSTANCE", name, `node is running unknown instance ${running}`);
    } else if (known.primary_node !== uuid) {
      findings.add("EINSTANCEWRONGNODE", running, `instance should not run on node ${name}`);
    }
  }
}

/** Only one of the instances with the same exclusion tag may have its primary on a node. */
function checkExclusionTags(findings: Findings, { now }: GroupFacts, node: NodeObject): void {
  const prefixes = now.cluster.tags
    .filter((tag) => tag.startsWith("htools:iextags:"))
    .map((tag) => `${tag.slice("htools:iextags:".length)}:`);
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { tags, forthcoming } of now.instancesOfNode(node.uuid).primary) {
    if (forthcoming) continue;
    for (const tag of tags.filter((one) => prefixes.some((prefix) => one.startsWith(prefix)))) {
      (seen.has(tag) ? shared : seen).add(tag);
    }
  }
  findings.addIf(
    shared.size > 0,
    "EEXTAGS",
    node.name,
    `Tags where there is more than one instance: ${pythonLiteral([...shared])}`,
    "WARNING",
  );
}
