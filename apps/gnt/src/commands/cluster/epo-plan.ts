/** Plan of an emergency power-off or its end: nodes to switch, and instances to stop or start. */
import { Ending } from "../../errors.js";
import type { Values } from "../named.js";

export interface EpoPlan {
  /** All affected nodes. */
  readonly nodes: readonly string[];
  /** Nodes to switch: they have an out-of-band helper and are not in the wanted state. */
  readonly switched: readonly string[];
  /** The master, if it would have to switch itself off, which it cannot. */
  readonly kept: string | undefined;
  /** Instances with the nodes that each needs; the master is not listed, because it runs. */
  readonly instances: ReadonlyMap<string, ReadonlySet<string>>;
  /** Messages about nodes that are not switched. */
  readonly remarks: readonly string[];
}

/** @throws Ending if the master, but not the whole cluster, would be switched off */
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
    // A master that runs this command is on already.
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
