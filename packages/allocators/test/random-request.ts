/** Random requests to an allocator about a cluster. */
import { Dice } from "@ganeti-ts/testkit/simulation";
import type { ClusterEntries } from "../src/entries.js";
import { type RequestEntry, wantedEntry } from "../src/requests.js";

/** A request that Ganeti's hail supports; with `ours` also one that only this implementation supports. */
export function randomRequest(seed: number, cluster: ClusterEntries, ours = true): RequestEntry {
  const dice = new Dice(seed);
  const names = cluster.instances.map(([name]) => name);
  const group = cluster.groups[0]?.[1].name ?? null;
  const wanted = () =>
    wantedEntry({
      name: `new${dice.between(0, 99)}.example.com`,
      memoryMib: dice.between(1, 16) * 128,
      vcpus: 1,
      spindleUse: 1,
      os: "noop",
      hypervisor: "kvm",
      tags: ["role:web"],
      diskTemplate: dice.pick(["plain", "drbd", "file"]),
      disks: [{ sizeMib: dice.between(1, 20) * 1024, spindles: dice.pick([null, 1]) }],
      nics: [{ mac: "auto", mode: dice.pick(["bridged", "ext"]), link: "br0", bridge: "br0" }],
    });
  const where = { group_name: dice.chance(0.3) ? group : null };
  const kinds: readonly (() => RequestEntry)[] = [
    () => ({ type: "allocate", ...wanted(), ...where }),
    () => ({
      type: "allocate",
      ...wanted(),
      ...where,
      "restrict-to-nodes": cluster.nodes.slice(0, 3).map(([name]) => name),
    }),
    () => ({ type: "multi-allocate", instances: [wanted(), wanted()] }),
    ...(names.length === 0
      ? []
      : [
          () => relocation(dice, cluster),
          (): RequestEntry => ({ type: "allocate-secondary", name: dice.pick(names) }),
          (): RequestEntry => ({
            type: "node-evacuate",
            instances: dice.some(names, 0.3),
            evac_mode: dice.pick(["primary-only", "secondary-only", "all"] as const),
          }),
          (): RequestEntry => ({
            type: "change-group",
            instances: dice.some(names, 0.3),
            target_groups: dice.some(cluster.groups.map(([uuid]) => uuid)),
          }),
        ]),
    ...(ours
      ? [
          (): RequestEntry => ({ type: "balance", max_moves: 3, group_name: group }),
          (): RequestEntry => ({ type: "capacity", ...wanted(), ...where, max_count: 3 }),
        ]
      : []),
  ];
  return dice.pick(kinds)();
}

function relocation(dice: Dice, cluster: ClusterEntries): RequestEntry {
  const [name, { nodes, disk_space_total, disk_template }] = dice.pick(cluster.instances);
  const leaving = disk_template === "drbd" ? nodes.slice(1, 2) : nodes.slice(0, 1);
  return { type: "relocate", name, disk_space_total, required_nodes: 1, relocate_from: leaving };
}
