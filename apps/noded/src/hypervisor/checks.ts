/** Checks about hypervisors and their instances. */
import { faultOf, ifFailed } from "../failure.js";
import type { Checks } from "../host/verification.js";
import type { Hypervisors } from "./hypervisors.js";
import { runningNames } from "./look-calls.js";

export const hypervisorChecks = (hypervisors: Hypervisors): Checks => ({
  async hypervisors(names, { hypervisorParameters = {} }) {
    const faults: Record<string, string | null> = {};
    for (const name of names) {
      faults[name] = await hypervisors(name)
        .fault(hypervisorParameters[name] ?? {})
        .catch(ifFailed((fault) => `Error while checking hypervisor: ${fault}`));
    }
    return { hypervisors: faults };
  },
  async hvparams(asked) {
    const faults: { owner: string; hypervisor: string; fault: string }[] = [];
    for (const { owner, hypervisor, hvparams } of asked) {
      const fault = await faultOf(async () => hypervisors(hypervisor).validate(hvparams));
      if (fault !== null) faults.push({ owner, hypervisor, fault });
    }
    return { hvparams: faults };
  },
  async instances(names) {
    const found = runningNames(
      hypervisors,
      names.map((name) => ({ name })),
    );
    return { instances: await found.catch(ifFailed((fault) => ({ fault }))) };
  },
  async figures(name, { hypervisorParameters = {} }) {
    return { figures: await hypervisors(name).figures(hypervisorParameters[name] ?? {}) };
  },
});
