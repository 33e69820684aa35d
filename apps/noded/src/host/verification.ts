/** node_verify: runs the requested checks, collected from all areas. */
import type { Verification, VerifyRequest } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { handlers, isNamed } from "../handlers.js";

type CheckName = Exclude<
  keyof VerifyRequest,
  "clusterName" | "hypervisorParameters" | "nodesWithoutInstances"
>;

/** A check: gets its argument and the whole request, and returns a part of the verification. */
type Check<Name extends CheckName> = (
  argument: NonNullable<VerifyRequest[Name]>,
  request: VerifyRequest,
) => Promise<Partial<Verification>>;

/** Checks by their key in the request. */
export type Checks = { readonly [Name in CheckName]?: Check<Name> };

/** Checks about instances and their storage, which are skipped on nodes without instances. */
const aboutInstances: ReadonlySet<string> = new Set<CheckName>([
  ...(["bridges", "figures", "hvparams", "hypervisors", "instances", "logicalVolumes"] as const),
  ...([
    "volumeGroups",
    "physicalVolumes",
    "osList",
    "drbdVersion",
    "drbdList",
    "drbdHelper",
  ] as const),
]);

/** Runs the requested checks. A key without a registered check has no entry in the answer, as with older daemons. */
export function verificationCalls({ nodeName }: Pick<NodeContext, "nodeName">, checks: Checks) {
  const verify = async (request: VerifyRequest): Promise<Verification> => {
    const hasInstances = !request.nodesWithoutInstances?.includes(nodeName);
    let found: Verification = {};
    for (const [name, argument] of Object.entries(request)) {
      if (argument === undefined || !isNamed(checks, name)) continue;
      if (!hasInstances && aboutInstances.has(name)) continue;
      const check = checks[name] as Check<CheckName>;
      found = { ...found, ...(await check(argument as never, request)) };
    }
    return found;
  };
  return handlers({ node_verify: verify, node_verify_light: verify });
}
