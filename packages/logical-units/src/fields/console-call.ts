/** Instances as nodes get them when they are asked for a console: with parameters filled. */
import {
  filledBeparams,
  filledHvparams,
  filledNicparams,
  filledOsparams,
  type Snapshot,
} from "@ganeti-ts/config";
import type { RealInstance } from "@ganeti-ts/protocol";
import type { InstanceOnNode } from "../nodes/objects.js";

export const instanceOnNode = (now: Snapshot, instance: RealInstance): InstanceOnNode => ({
  ...{ uuid: instance.uuid, name: instance.name, os: instance.os },
  hypervisor: instance.hypervisor,
  hvparams: filledHvparams(now, instance),
  beparams: { ...filledBeparams(now, instance) },
  osparams: filledOsparams(now, instance).public,
  nics: instance.nics.map((nic) => ({
    ...nic,
    nicparams: { ...filledNicparams(now, instance, nic) },
  })),
  disks: [],
  network_port: instance.network_port,
});
