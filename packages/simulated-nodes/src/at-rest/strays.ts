/** straysRunning: instances that run where they should not, or with devices that they should not have. */
import { devicesOfClaim, nodesOfClaim, type Snapshot } from "@ganeti-ts/config";
import type { DiskObject, RealDisk } from "@ganeti-ts/protocol";
import { deviceOn } from "../devices-in-use.js";
import type { SimulatedNodes } from "../simulated-nodes.js";

/** Instances that run on several nodes, and those that run and do not exist, as texts; without those with these names. */
export function straysRunning(
  now: Snapshot,
  simulated: SimulatedNodes,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { uuid, name } of now.nodes()) {
    for (const running of Object.keys(simulated.stateOf(uuid)?.instances ?? {})) {
      places.set(running, [...(places.get(running) ?? []), name]);
    }
  }
  return [...places].flatMap(([instance, nodes]) => {
    if (except.has(instance)) return [];
    const where = `runs on ${nodes.join(" and ")}`;
    const known = now.findInstance(instance);
    if (known?.name !== instance || known.forthcoming) return [`${instance} is gone and ${where}`];
    return nodes.length > 1 ? [`${instance} ${where}`] : [];
  });
}

/** Names of existing instances that use claimed devices. */
export function usersOfHeld(now: Snapshot, simulated: SimulatedNodes): readonly string[] {
  const users = new Set<string>();
  for (const claim of now.claims()) {
    const [node = ""] = nodesOfClaim(claim);
    const { instances = {} } = simulated.stateOf(node) ?? {};
    for (const disk of devicesOfClaim(claim) as readonly DiskObject[]) {
      const device = deviceOn(node, disk as RealDisk);
      for (const [name, { devices }] of Object.entries(instances)) {
        if (devices?.includes(device) && now.findInstance(name)?.name === name) users.add(name);
      }
    }
  }
  return [...users];
}
