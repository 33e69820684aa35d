/** gnt-network info: shows the existing ones of the named networks, or all. */
import type { FilterExpression, Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { byName } from "../named.js";
import { addressesIn, infoFields, infoLines } from "./info-text.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation;
  const networks = await byName(invocation, "network", infoFields, invocation.args);
  const instances = [...new Set(networks.flatMap(({ inst_list }) => inst_list as string[]))];
  const nics = await nicsOf(invocation, instances);
  const documents: Json[] = [];
  for (const values of networks) {
    const addresses = (values.inst_list as string[]).map((name) => {
      const [ips = [], own = []] = nics.get(name) ?? [];
      return [name, addressesIn(values.uuid ?? null, ips, own)] as const;
    });
    documents.push({ ...values, addresses: Object.fromEntries(addresses) });
    if (!out.json) for (const line of infoLines({ values, addresses })) out.line(line);
  }
  if (out.json) out.document(documents);
  return 0;
}

/** Addresses and networks of all NICs, by instance: a single query. */
async function nicsOf({ cluster }: Invocation, names: readonly string[]) {
  const nics = new Map<string, readonly (readonly Json[])[]>();
  if (names.length === 0) return nics;
  const filter: FilterExpression = ["|", ...names.map((name) => ["=", "name", name] as const)];
  const { data } = await cluster.query("instance", ["name", "nic.ips", "nic.networks"], filter);
  for (const [name, ips, networks] of data) {
    nics.set(String(name?.[1]), [ips?.[1] as readonly Json[], networks?.[1] as readonly Json[]]);
  }
  return nics;
}
