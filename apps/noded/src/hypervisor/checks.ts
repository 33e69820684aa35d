/** Checks about hypervisors and their instances. */
import { NodeFailure } from "../failure.js";
import type { Checks } from "../host/verification.js";
import type { Hypervisors } from "./hypervisors.js";
import { runningNames } from "./look-calls.js";

/** The text of a failure; null for a success. */
async function faultOf(action: () => Promise<void>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    if (error instanceof NodeFailure) return error.message;
    throw error;
  }
}

export const hypervisorChecks = (hypervisors: Hypervisors): Checks => ({
  async hypervisors(names, { hypervisorParameters = {} }) {
    const faults: Record<string, string | null> = {};
    for (const name of names) {
      try {
        faults[name] = await hypervisors(name).fault(hypervisorParameters[name] ?? {});
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        faults[name] = `Error while checking hypervisor: ${error.message}`;
      }
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
    try {
      const found = await runningNames(
        hypervisors,
        names.map((name) => ({ name })),
      );
      return { instances: found };
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      return { instances: { fault: error.message } };
    }
  },
  async figures(name, { hypervisorParameters = {} }) {
    return { figures: await hypervisors(name).figures(hypervisorParameters[name] ?? {}) };
  },
});
