/** `gnt-instance disk-status`: state of each disk of an instance, on each of its nodes. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { styleOf, tableLines } from "../../table.js";
import { instanceData } from "../instance-data.js";

const columns = [{ title: "Disk", right: true }, "Node", "Role", "Status"];

/** Disk, node, role, status. */
type Copy = readonly Json[];

/**
 * The server reports copies whose nodes have answered. Copies on other nodes, e.g. offline ones, are added as
 * unknown, in the order of disks, primary first. A reservation has no disks yet.
 */
function withUnknown(instance: JsonObject, known: readonly Copy[]): readonly Copy[] {
  const { pnode, snodes, disks, forthcoming } = instance;
  if (forthcoming === true || !Array.isArray(disks)) return known;
  return (disks as readonly JsonObject[]).flatMap(({ dev_type }, at): readonly Copy[] => {
    const told = known.filter(([disk]) => disk === at);
    const secondaries = dev_type === "drbd" && Array.isArray(snodes) ? snodes : [];
    const places: readonly Copy[] = [
      [at, pnode ?? null, "primary"],
      ...secondaries.map((node: Json): Copy => [at, node, "secondary"]),
    ];
    const missing = places.filter(([, node]) => !told.some(([, other]) => other === node));
    const unknown = missing.map((place) => [...place, "unknown (the node does not answer)"]);
    return [...told, ...unknown].toSorted((a, b) => String(a[2]).localeCompare(String(b[2])));
  });
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [instance] = Object.values(await instanceData(invocation, args, false));
  const known = instance?.disk_status as readonly Copy[] | null | undefined;
  if (instance === undefined || known === undefined) {
    throw new Ending("This server does not report the status of disks: see 'gnt-instance info'");
  }
  const disks = withUnknown(instance, known ?? []);
  const rows = disks.map((disk) => disk.map(String));
  out.document(
    disks.map(([disk, node, role, status]) => ({ disk, node, role, status }) as JsonObject),
  );
  for (const line of tableLines(columns, rows, styleOf(options))) out.line(line);
  return 0;
}
