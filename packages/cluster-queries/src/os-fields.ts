/** Query fields of operating systems, combined from the answers of all nodes. */
import type { Snapshot } from "@ganeti-ts/config";
import type { NodeBackend, NodeCaller, OsDefinition } from "@ganeti-ts/node-calls";
import { compareNaturally, type Json, type NodeUuid } from "@ganeti-ts/protocol";
import { type Field, field } from "./field.js";

export interface OsItem {
  readonly name: string;
  /** Definitions of this name in the search path, for each node that answered; the first one counts. */
  readonly found: ReadonlyMap<NodeUuid, readonly OsDefinition[]>;
}

/** Queries every online, vm-capable node. Systems are sorted naturally. */
export async function collectOs(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
): Promise<OsItem[]> {
  const answers = await Promise.all(
    Array.from(now.nodes())
      .filter(({ offline, vm_capable }) => !offline && vm_capable)
      .map(async ({ uuid }) => ({
        uuid,
        said: await backend.call(uuid, "os_diagnose", {}, caller),
      })),
  );
  const good = answers.flatMap(({ uuid, said }) => (said.ok ? [{ uuid, list: said.value }] : []));
  const names = new Set(good.flatMap(({ list }) => list.map(({ name }) => name)));
  return [...names].sort(compareNaturally).map((name) => ({
    name,
    found: new Map(
      good.map(({ uuid, list }) => [uuid, list.filter((definition) => definition.name === name)]),
    ),
  }));
}

/** Whether it is present on every node, without faults. */
const isValid = ({ found }: OsItem): boolean =>
  [...found.values()].every(([first]) => first?.valid === true);

/** The effective definitions; empty for a system that is not valid everywhere. */
const counting = (os: OsItem): readonly OsDefinition[] =>
  isValid(os) ? [...os.found.values()].flatMap(([first]) => first ?? []) : [];

/** Values common to all definitions. */
function common<T>(
  os: OsItem,
  values: (one: OsDefinition) => readonly T[],
  key: (value: T) => string | number = String,
): T[] {
  const [first, ...others] = counting(os);
  if (first === undefined) return [];
  return values(first).filter((value) =>
    others.every((other) => values(other).some((one) => key(one) === key(value))),
  );
}

const osVariants = (os: OsItem): string[] =>
  common(os, ({ variants }) => variants).sort(compareNaturally);

const osParameters = (os: OsItem) =>
  common(
    os,
    ({ parameters }) => parameters,
    (pair) => JSON.stringify(pair),
  ).sort(([a], [b]) => compareNaturally(a, b));

/** `{"os+variant": value}` for the variants with a value in the cluster. */
const ofVariants = (os: OsItem, values: { readonly [name: string]: unknown }) =>
  Object.fromEntries(
    osVariants(os)
      .map((variant) => `${os.name}+${variant}`)
      .flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])),
  );

const nodeStatus = ({ found }: OsItem): Json =>
  Object.fromEntries(
    Array.from(found, ([uuid, definitions]) => [
      uuid,
      definitions.map((one) => [
        one.path,
        one.valid,
        one.fault,
        one.variants,
        one.parameters,
        one.apiVersions,
        one.trusted,
      ]),
    ]),
  );

export const osFields: readonly Field<OsItem>[] = [
  field(["name", "Name", "text", "Operating system name"], ({ name }) => name),
  field(["valid", "Valid", "bool", "Whether operating system definition is valid"], isValid),
  field(["hidden", "Hidden", "bool", "Whether operating system is hidden"], ({ name }, now) =>
    now.cluster.hidden_os.includes(name),
  ),
  field(
    ["blacklisted", "Blacklisted", "bool", "Whether operating system is blacklisted"],
    ({ name }, now) => now.cluster.blacklisted_os.includes(name),
  ),
  field(["variants", "Variants", "other", "Operating system variants"], osVariants),
  field(["api_versions", "ApiVersions", "other", "Operating system API versions"], (os) =>
    common(os, ({ apiVersions }) => apiVersions).sort((a, b) => a - b),
  ),
  field(["parameters", "Parameters", "other", "Operating system parameters"], osParameters),
  field(["node_status", "NodeStatus", "other", "Status from node"], nodeStatus),
  field(
    ["os_hvp", "OsHypervisorParams", "other", "Operating system specific hypervisor parameters"],
    (os, now) => ofVariants(os, now.cluster.os_hvp),
  ),
  field(["osparams", "OsParameters", "other", "Operating system specific parameters"], (os, now) =>
    ofVariants(os, now.cluster.osparams),
  ),
  field(["trusted", "Trusted", "bool", "Whether this OS is trusted"], (os) =>
    counting(os).every(({ trusted }) => trusted),
  ),
];
