/** `gnt-instance disk-status`: how each disk of an instance is, on each of its nodes. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { tableLines } from "../../table.js";
import { instanceData } from "../instance-data.js";

const columns = [
  { title: "Disk", right: true },
  { title: "Node", right: false },
  { title: "Role", right: false },
  { title: "Status", right: false },
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [instance] = Object.values(await instanceData(invocation, args, false));
  const disks = instance?.disk_status as readonly (readonly Json[])[] | null | undefined;
  if (disks === undefined) {
    throw new Ending("This server does not tell the status of disks: see 'gnt-instance info'");
  }
  // A reservation has none.
  const rows = (disks ?? []).map((disk) => disk.map(String));
  out.document(
    (disks ?? []).map(([disk, node, role, status]) => ({ disk, node, role, status }) as JsonObject),
  );
  const style = { headers: !options.flag("no-headers"), separator: options.text("separator") };
  for (const line of tableLines(columns, rows, style)) out.line(line);
  return 0;
}
