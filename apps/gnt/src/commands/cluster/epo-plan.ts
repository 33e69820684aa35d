/** Which nodes are switched, and which instances are stopped or started, in an emergency. */
import { Ending } from "../../errors.js";
import type { Values } from "../named.js";

export interface EpoPlan {
  /** All that are meant. */
  readonly nodes: readonly string[];
  /** Those that are switched: they have a helper, and are not yet as they should be. */
  readonly switched: readonly string[];
  /** The master, where it would be switched off: it cannot do that itself. */
  readonly kept: string | undefined;
  /** Instances, and the nodes that each needs; the master does not count, it is there. */
  readonly instances: ReadonlyMap<string, ReadonlySet<string>>;
  /** What is said of nodes that are not switched. */
  readonly remarks: readonly string[];
}

/** @throws Ending if the master would go although not the whole cluster does */
export function epoPlan(
  nodes: readonly Values[],
  { on, all }: { readonly on: boolean; readonly all: boolean },
): EpoPlan {
  const switched: string[] = [];
  let kept: string | undefined;
  const remarks: string[] = [];
  const instances = new Map<string, Set<string>>();
  for (const node of nodes) {
    const name = String(node.name);
    const { master, powered, offline } = node;
    if (!offline) {
      for (const instance of [...(node.pinst_list as string[]), ...(node.sinst_list as string[])]) {
        const needed = instances.get(instance) ?? new Set();
        if (!master) needed.add(name);
        instances.set(instance, needed);
      }
    }
    // Whoever switches on is on the master.
    if (master && on) continue;
    if (master && !all) {
      throw new Ending(
        `${name} is the master node, please do a master-failover to another node not affected by the EPO` +
          " or use --all if you intend to shutdown the whole cluster",
      );
    }
    if (powered === null) {
      remarks.push(
        `Node ${name} does not support out-of-band handling, it can not be handled in a fully automated manner`,
      );
    } else if (powered === on) {
      remarks.push(`Node ${name} is already in desired power state, skipping`);
    } else if (master) kept = name;
    else if (!offline || powered) switched.push(name);
  }
  return { nodes: nodes.map(({ name }) => String(name)), switched, kept, instances, remarks };
}
