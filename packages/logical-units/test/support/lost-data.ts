// Data of instances that are gone from the nodes.
import type { Snapshot } from "@ganeti-ts/config";
import type { RealDisk } from "@ganeti-ts/protocol";
import type { SimulatedNodes } from "@ganeti-ts/simulated-nodes";

/**
 * Disks of real instances whose volume with the data is on none of their nodes, as texts; without those of the instances
 * with these names.
 */
export function lostData(
  now: Snapshot,
  simulated: SimulatedNodes,
  except: ReadonlySet<string> = new Set(),
): readonly string[] {
  const isOn = (node: string, { logical_id: [group, name] }: Pick<RealDisk, "logical_id">) =>
    simulated.stateOf(node)?.volumeGroups[String(group)]?.volumes[String(name)] !== undefined;
  const faults: string[] = [];
  for (const instance of now.instances()) {
    if (instance.forthcoming || except.has(instance.name)) continue;
    for (const [at, disk] of (now.disksOf(instance) as RealDisk[]).entries()) {
      const data = disk.dev_type === "drbd" ? disk.children[0] : disk;
      if (data === undefined || (data.dev_type ?? "plain") !== "plain") continue;
      if (disk.nodes.some((node) => isOn(node, data))) continue;
      faults.push(`the data of disk ${at} of ${instance.name} are lost: ${data.logical_id[1]}`);
    }
  }
  return faults;
}
