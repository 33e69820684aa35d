/** Calls that report about instances and hypervisors without changing them. */
import type { RunningInstance } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
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
export async function runningNames(
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
