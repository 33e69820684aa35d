/** Consistency checks of an instance; a forthcoming instance may lack values. */
import { type InstanceObject, isShared } from "@ganeti-ts/protocol";
import type { ClaimedNames } from "../claims.js";
import { filledBeparams, filledNicparams } from "../filling.js";
import { nicFault } from "../nic-rules.js";
import { type Snapshot, secondaryNodes } from "../snapshot.js";
import { beparamsFault } from "./parameter-faults.js";
import {
  addressFaults,
  highestPortFaults,
  macFaults,
  nameFaults,
  portFaults,
} from "./uniqueness.js";

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
export function takenFaults(
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
