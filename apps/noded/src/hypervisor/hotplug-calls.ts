/** Calls that attach devices to instances that run, and detach them. */
import type { InstanceCalls } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";
import { attempt } from "../storage/failures.js";
import type { Hotplug } from "./hypervisor.js";
import type { Hypervisors } from "./hypervisors.js";

export type HotplugCalls = Pick<InstanceCalls, "hotplug_supported" | "hotplug_device">;

export function hotplugCalls(hypervisors: Hypervisors): Handlers<HotplugCalls> {
  const hotplugOf = (type: string): Hotplug => {
    const { hotplug } = hypervisors(type);
    if (hotplug !== undefined) return hotplug;
    throw new NodeFailure("Hotplug is not supported by this hypervisor");
  };
  return {
    async hotplug_supported({ instance }) {
      await attempt("Hotplug is not supported", async () =>
        hotplugOf(instance.hypervisor).check(instance),
      );
      return null;
    },
    async hotplug_device({ instance, action, what }) {
      await attempt("Hotplug is not supported", async () =>
        hotplugOf(instance.hypervisor)[action](instance, what),
      );
      return null;
    },
  };
}
