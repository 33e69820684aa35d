/** Calls that attach devices to running instances and detach them. */
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { attempt } from "../storage/failures.js";
import type { Hotplug } from "./hypervisor.js";
import type { Hypervisors } from "./hypervisors.js";

export function hotplugCalls(hypervisors: Hypervisors) {
  const supported = (instance: InstanceOnNode): Promise<Hotplug> =>
    attempt("Hotplug is not supported", async () => {
      const { hotplug } = hypervisors(instance.hypervisor);
      if (hotplug === undefined)
        throw new NodeFailure("Hotplug is not supported by this hypervisor");
      await hotplug.check(instance);
      return hotplug;
    });
  return handlers({
    async hotplug_supported({ instance }) {
      await supported(instance);
    },
    async hotplug_device({ instance, action, what }) {
      const hotplug = await supported(instance);
      await hotplug[action](instance, what);
    },
  });
}
