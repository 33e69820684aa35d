/** Consistency checks of nodes, groups, networks, instances, disks and claims; a forthcoming instance may lack values. */
import type {
  Claim,
  DiskObject,
  GroupObject,
  InstanceObject,
  Json,
  NetworkObject,
  NodeObject,
} from "@ganeti-ts/protocol";
import { Beparams, isShared, isUuid, Ndparams } from "@ganeti-ts/protocol";
import { type ClaimedNames, devicesOfClaim, namesOfClaim, nodesOfClaim } from "../claims.js";
import {
  filledBeparams,
  filledGroupNdparams,
  filledNdparams,
  filledNicparams,
  globalNdparams,
} from "../filling.js";
import { ipv4Network } from "../ip-address.js";
import { nicFault } from "../nic-rules.js";
import { policyFault } from "../policies.js";
import { type Snapshot, secondaryNodes } from "../snapshot.js";
import {
  addressFaults,
  highestPortFaults,
  macFaults,
  minorFaults,
  nameFaults,
  portFaults,
  volumeFaults,
} from "./uniqueness.js";

/** Consistency checks of an instance; a forthcoming instance may lack values. */
export function instanceFaults(now: Snapshot, instance: InstanceObject): readonly string[] {
  const label = instance.name ?? instance.uuid;
  const { primary_node } = instance;
  const beparams = beparamsFault(`instance ${label}`, filledBeparams(now, instance));
  return [
    ...(primary_node !== undefined && now.node(primary_node) === undefined
      ? [`instance '${label}' has invalid primary node '${primary_node}'`]
      : []),
    ...secondaryNodes(now, instance)
      .filter((uuid) => now.node(uuid) === undefined)
      .map((uuid) => `instance '${label}' has invalid secondary node '${uuid}'`),
    ...(beparams === undefined ? [] : [beparams]),
    ...diskListFaults(now, instance, label),
    ...takenFaults(now, instance, label, instance.forthcoming === true),
  ];
}

/** Faults of names, ports and addresses, which no other object may have. */
function takenFaults(
  now: Snapshot,
  names: ClaimedNames,
  label: string,
  isToCome: boolean,
): readonly string[] {
  const { network_port: port } = names;
  return [
    ...nicFaults(now, names, label, isToCome),
    ...nameFaults(now, "instance", names),
    ...(port === undefined ? [] : [...portFaults(now, port), ...highestPortFaults(now, [port])]),
  ];
}

function diskListFaults(now: Snapshot, instance: InstanceObject, label: string): readonly string[] {
  const faults: string[] = [];
  const wrongNames: string[] = [];
  const isToCome = instance.forthcoming === true;
  for (const [at, uuid] of instance.disks.entries()) {
    const disk = now.disk(uuid);
    if (disk === undefined) {
      faults.push(`Instance '${label}' has invalid disk '${uuid}'`);
      continue;
    }
    const owners = new Set(now.keysOf("attached", uuid));
    if (owners.size > 1) {
      const names = [...owners].map((one) => `'${now.get("instance", one)?.name ?? one}'`);
      faults.push(`Disk '${uuid}' is attached to several instances: ${names.join(", ")}`);
    }
    const { iv_name = "", dev_type, nodes } = disk;
    if (iv_name !== `disk/${at}` && !(isToCome && disk.iv_name === undefined)) {
      wrongNames.push(`name of disk ${at} should be 'disk/${at}', but is '${iv_name}'`);
    }
    if ((disk.forthcoming === true) !== isToCome) {
      faults.push(`Instance '${label}' and its disk '${uuid}' are not both forthcoming`);
    }
    const isPlaced = instance.primary_node !== undefined && !(isToCome && nodes.length === 0);
    if (!isShared(dev_type) && isPlaced && !nodes.some((node) => node === instance.primary_node)) {
      faults.push(`Disk '${uuid}' of instance '${label}' is not on its primary node`);
    }
  }
  if (wrongNames.length > 0) {
    faults.push(`Instance '${label}' has wrongly named disks: ${wrongNames.join("; ")}`);
  }
  return faults;
}

function nicFaults(
  now: Snapshot,
  names: ClaimedNames,
  label: string,
  isToCome: boolean,
): readonly string[] {
  return [...names.nics.entries()].flatMap(([at, nic]) => {
    const isSaid = Object.keys(nic.nicparams ?? {}).length > 0 || nic.network !== undefined;
    const fault = isToCome && !isSaid ? undefined : nicFault(nic, filledNicparams(now, names, nic));
    return [
      ...(fault === undefined
        ? []
        : [`instance ${label} nic ${at} has invalid nicparams: ${fault}`]),
      ...(nic.mac === undefined ? [] : macFaults(now, nic.mac)),
      ...(nic.ip === undefined ? [] : addressFaults(now, nic.ip)),
    ];
  });
}

/** Consistency checks of a claim: no other object may have its names, numbers and devices. */
export function claimFaults(now: Snapshot, claim: Claim): readonly string[] {
  const label = `claim ${claim.uuid} of job ${claim.job}`;
  return [
    ...nodesOfClaim(claim)
      .filter((node) => now.node(node) === undefined)
      .map((node) => `${label} has invalid node '${node}'`),
    ...takenFaults(now, namesOfClaim(claim), label, true),
    ...devicesOfClaim(claim).flatMap((disk) => diskFaults(now, disk)),
  ];
}

/** Consistency checks of a disk. */
export function diskFaults(now: Snapshot, disk: DiskObject): readonly string[] {
  const faults: string[] = [];
  for (const child of disk.children) {
    if ((child.forthcoming === true) !== (disk.forthcoming === true)) {
      faults.push(`Disk '${disk.uuid}' and its child '${child.uuid}' are not both forthcoming`);
    }
  }
  if (disk.dev_type === "drbd" && disk.logical_id !== undefined) {
    const [nodeA, nodeB, port, minorA, minorB] = disk.logical_id;
    faults.push(...minorFaults(now, nodeA, minorA), ...minorFaults(now, nodeB, minorB));
    if (typeof port === "number") {
      faults.push(...portFaults(now, port), ...highestPortFaults(now, [port]));
    }
  }
  for (const part of [disk, ...disk.children]) {
    if (part.dev_type !== "plain" || part.logical_id === undefined) continue;
    for (const node of part.nodes) {
      faults.push(...volumeFaults(now, node, part.logical_id.join("/")));
    }
  }
  return faults;
}

/** Consistency checks of a node group. */
export function groupFaults(now: Snapshot, group: GroupObject): readonly string[] {
  const { name, uuid } = group;
  const owner = `group ${name}`;
  const policy = policyFault(group.ipolicy as unknown as Json, false);
  return [
    ...(isUuid(name.toLowerCase())
      ? [`node group '${name}' (uuid: '${uuid}') has uuid-like name`]
      : []),
    ...nameFaults(now, "group", group),
    ...(policy === undefined ? [] : [`${owner} has invalid instance policy: ${policy}`]),
    ...[ndparamsFault(owner, filledGroupNdparams(now, group))].filter((one) => one !== undefined),
  ];
}

/** Consistency checks of a network. */
export function networkFaults(now: Snapshot, network: NetworkObject): readonly string[] {
  const { name, uuid, reservations, ext_reservations } = network;
  const size = ipv4Network(network.network)?.size;
  const faults = [...nameFaults(now, "network", network)];
  if (isUuid(name.toLowerCase())) {
    faults.push(`network '${name}' (uuid: '${uuid}') has uuid-like name`);
  }
  if (size === undefined) faults.push(`network '${name}' has invalid address '${network.network}'`);
  else if (reservations.length !== size || ext_reservations.length !== size) {
    faults.push(`network '${name}' has reservations for another number of addresses than ${size}`);
  }
  return faults;
}

/** Consistency checks of a node. */
export function nodeFaults(now: Snapshot, node: NodeObject): readonly string[] {
  const { name, master_candidate, drained, offline } = node;
  const faults: string[] = [];
  if ([master_candidate, drained, offline].filter((flag) => flag).length > 1) {
    const flags = [master_candidate, drained, offline].map((flag) => (flag ? "True" : "False"));
    faults.push(
      `Node ${name} state is invalid: master_candidate=${flags[0]}, drain=${flags[1]}, offline=${flags[2]}`,
    );
  }
  if (now.group(node.group) === undefined) {
    faults.push(`Node '${name}' has invalid group '${node.group}'`);
  } else {
    const fault = ndparamsFault(`node ${name}`, filledNdparams(now, node));
    if (fault !== undefined) faults.push(fault);
  }
  const globals = globalNdparams.filter((key) => node.ndparams[key] !== undefined);
  if (globals.length > 0) {
    faults.push(`Node '${name}' has some global parameters set: ${globals.join(", ")}`);
  }
  const addresses = new Set([node.primary_ip, node.secondary_ip]);
  return [
    ...faults,
    ...nameFaults(now, "node", node),
    ...[...addresses].flatMap((ip) => addressFaults(now, ip)),
  ];
}

/** In the form `<owner> has invalid beparams: …`; undefined if there is no fault. */
export function beparamsFault(owner: string, filled: Beparams): string | undefined {
  const fault = typeFault(Beparams, filled);
  if (fault !== undefined) return `${owner} has invalid beparams: ${fault}`;
  return filled.minmem > filled.maxmem
    ? `${owner} has invalid beparams: minmem (${filled.minmem}) must not be larger than maxmem (${filled.maxmem})`
    : undefined;
}

/** The same check for node parameters. */
export function ndparamsFault(owner: string, filled: Ndparams): string | undefined {
  const fault = typeFault(Ndparams, filled);
  return fault && `${owner} has invalid ndparams: ${fault}`;
}

function typeFault(schema: typeof Beparams | typeof Ndparams, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  if (result.success) return undefined;
  const [issue] = result.error.issues;
  return `${issue?.path.join("/")}: ${issue?.message}`;
}
