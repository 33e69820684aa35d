/** practiceOn: simulated failures of nodes, for practising. */
import type { Snapshot } from "@ganeti-ts/config";
import type { HostState, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { groupSpace } from "@ganeti-ts/simulated-nodes";
import {
  type MachineState,
  type Practice,
  PracticeError,
  type SimulatedFailure,
} from "../practice.js";

/** Finds no node before the nodes have been opened. */
export function practiceOn(
  opened: () => { readonly simulated: SimulatedNodes; readonly now: () => Snapshot } | undefined,
): Practice {
  const find = (name: string) => {
    const { simulated, now } = opened() ?? {};
    const uuid = now?.().findNode(name)?.uuid;
    const host = uuid === undefined ? undefined : simulated?.stateOf(uuid);
    return simulated && uuid !== undefined && host ? { simulated, uuid, host } : undefined;
  };
  const state = (name: string) => {
    const found = find(name);
    return found && machineState(found.host);
  };
  return {
    state,
    async happen(name, failure) {
      const found = find(name);
      if (found !== undefined) await happen(found, failure);
      return state(name);
    },
  };
}

interface Found {
  readonly simulated: SimulatedNodes;
  readonly uuid: string;
  readonly host: Readonly<HostState>;
}

/** @throws PracticeError */
async function happen({ simulated, uuid, host }: Found, failure: SimulatedFailure): Promise<void> {
  const [group = ""] = Object.keys(host.volumeGroups);
  switch (failure.action) {
    case "kill":
      refuseUnless(host.powered, `${host.name} is switched off already`);
      return simulated.powerOff(uuid);
    case "revive":
      refuseUnless(!host.powered, `${host.name} is running`);
      return simulated.powerOn(uuid);
    case "slow":
      return simulated.slowDown(uuid, failure.times);
    case "fill-disk":
      return simulated.fillDisk(uuid, group, failure.free_mib);
    case "empty-disk":
      return simulated.emptyDisk(uuid, group);
    case "break-disk":
      return simulated.breakPhysicalVolume(uuid, group, deviceOf(host, group, failure.device));
    case "mend-disk":
      return simulated.mendPhysicalVolume(uuid, group, deviceOf(host, group, failure.device));
    case "crash":
    case "user-shutdown": {
      const { instance } = failure;
      const runs = Object.hasOwn(host.instances, instance);
      refuseUnless(runs, `instance ${instance} does not run on ${host.name}`);
      return simulated.stopInstance(uuid, instance, failure.action === "crash" ? "crash" : "user");
    }
  }
}

function refuseUnless(condition: boolean, message: string): void {
  if (!condition) throw new PracticeError(message);
}

/** The named device, or the first one. @throws PracticeError */
function deviceOf(host: Readonly<HostState>, group: string, named: string | undefined): string {
  const devices = Object.keys(host.volumeGroups[group]?.physicalVolumes ?? {});
  const device = named ?? devices[0];
  if (device !== undefined && devices.includes(device)) return device;
  throw new PracticeError(
    `${host.name} has no device ${device ?? ""}`.trimEnd() +
      `; it has ${devices.join(", ") || "none"}`,
  );
}

const machineState = (host: Readonly<HostState>): MachineState => ({
  name: host.name,
  powered: host.powered,
  slowness: host.syncSlowness,
  // Instances that ran when the power was lost disappear with the next boot.
  instances: host.powered ? Object.keys(host.instances).sort() : [],
  volume_groups: Object.fromEntries(
    Object.entries(host.volumeGroups).map(([name, group]) => {
      const { sizeMib, freeMib } = groupSpace(group);
      return [name, { size_mib: sizeMib, free_mib: freeMib }];
    }),
  ),
  missing_devices: Object.values(host.volumeGroups).flatMap(({ physicalVolumes }) =>
    Object.keys(physicalVolumes).filter((name) => physicalVolumes[name]?.missing),
  ),
});
