/** checkHypervisorVersions: whether an instance can go from the hypervisor of one node to that of another. */
import { ExecError } from "@ganeti-ts/job-queue";
import type { HypervisorFigures } from "@ganeti-ts/node-calls";
import { ask, valueOrFail } from "../../unit/effects.js";
import type { UnitContext } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import type { Journey } from "./journey.js";

type Version = HypervisorFigures["hypervisorVersion"];

/**
 * Asks source and target for the version of the hypervisor. Different ones are reported, and refused where such a
 * migration is likely to fail. Nodes that do not report a version pass.
 * @throws ExecError
 */
export async function checkHypervisorVersions(
  context: UnitContext,
  { instance, source, target }: Journey,
  { ignoreVersions }: { readonly ignoreVersions: boolean },
): Promise<void> {
  const { now } = context;
  const name = instance.hypervisor;
  const hypervisors = [{ name, hvparams: now.cluster.hvparams[name] ?? {} }];
  const versionOn = async (node: string) => {
    const answer = await ask(context, node, "node_info", { storage: null, hypervisors });
    const text = `Can't get node information from ${nodeName(now, node)}`;
    return valueOrFail(answer, text).hypervisors?.[0]?.hypervisorVersion;
  };
  const [from, to] = await Promise.all([versionOn(source), versionOn(target)]);
  if (from === undefined || to === undefined || shown(from) === shown(to)) return;
  const step = `from hypervisor version ${shown(from)} to ${shown(to)}`;
  context.log(
    `* warning: hypervisor version mismatch between source (${shown(from)}) and target (${shown(to)}) node`,
  );
  if (isSafe(name, from, to)) {
    context.log(`  migrating ${step} should be safe`);
    return;
  }
  context.log(`  migrating ${step} is likely unsupported`);
  if (!ignoreVersions) {
    throw new ExecError(
      `Unsupported migration between hypervisor versions (${shown(from)} to ${shown(to)})`,
    );
  }
  context.log("  continuing anyway (told to ignore version mismatch)");
}

/** As Python prints it. */
const shown = (version: Version): string =>
  typeof version === "object" ? `[${version.join(", ")}]` : String(version);

/** KVM keeps the machine's version; xen takes instances of the minor version before its own. */
function isSafe(hypervisor: string, from: Version, to: Version): boolean {
  if (hypervisor === "kvm") return true;
  if (!hypervisor.startsWith("xen") || typeof from !== "object" || typeof to !== "object") {
    return false;
  }
  const [minor = 0, target = 0] = [from[1], to[1]];
  return from[0] === to[0] && (target === minor || target === minor + 1);
}
