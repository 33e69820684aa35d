/** Calls that report about instances and hypervisors without changing them. */
import type { RunningInstance } from "@ganeti-ts/node-calls";
import { faultOf, ifFailed, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import type { Checks } from "../host/verification.js";
import { attempt } from "../storage/failures.js";
import type { Hypervisors } from "./hypervisors.js";

export const lookCalls = (hypervisors: Hypervisors) =>
  handlers({
    instance_list: ({ hypervisors: asked }) => runningNames(hypervisors, asked),

    async all_instances_info({ hypervisors: asked }) {
      const found: Record<string, RunningInstance> = {};
      for (const { name: type } of asked) {
        for (const [name, one] of Object.entries(await hypervisors(type).all())) {
          const other = Object.hasOwn(found, name) ? found[name] : undefined;
          if (other && (other.memoryMib !== one.memoryMib || other.vcpus !== one.vcpus)) {
            throw new NodeFailure(`Instance ${name} is running twice with different parameters`);
          }
          found[name] = { ...one, hypervisor: type };
        }
      }
      return found;
    },

    instance_info: ({ name, hypervisor }) => hypervisors(hypervisor.name).info(name),

    async instance_console_info({ instances }) {
      const consoles = Object.entries(instances).map(
        async ([name, request]) =>
          [name, await hypervisors(String(request.instance.hypervisor)).console(request)] as const,
      );
      return Object.fromEntries(await Promise.all(consoles));
    },

    hypervisor_validate_params: async ({ name, hvparams }) => hypervisors(name).validate(hvparams),
  });

/** Names of the instances that run under any of the hypervisors. */
async function runningNames(
  hypervisors: Hypervisors,
  asked: readonly { readonly name: string }[],
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name: type } of asked) {
    const what = `Error enumerating instances (hypervisor ${type})`;
    names.push(...(await attempt(what, async () => hypervisors(type).list())));
  }
  return names;
}

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
