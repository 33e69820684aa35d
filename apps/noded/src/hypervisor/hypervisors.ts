/** The hypervisors of this node, by name. */
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { isNamed } from "../handlers.js";
import { fakeHypervisor } from "./fake.js";
import type { Hypervisor } from "./hypervisor.js";

export type Hypervisors = (name: string) => Hypervisor;

/** Rejects names that the daemon does not have, with Ganeti's text. */
export function hypervisors(context: NodeContext): Hypervisors {
  const table = { fake: fakeHypervisor(context) };
  return (name) => {
    if (!isNamed(table, name)) throw new NodeFailure(`Unknown hypervisor type '${name}'`);
    return table[name];
  };
}
