/** `gnt-instance disk-status`: how each disk of an instance is, on each of its nodes. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";
import { tableLines } from "../../table.js";

const columns = [
  { title: "Disk", right: true },
  { title: "Node", right: false },
  { title: "Role", right: false },
  { title: "Status", right: false },
];

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const found = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_QUERY_DATA", { instances: args, static: false, use_locking: true }),
  );
  const [instance] = Object.values(found as Record<string, JsonObject>);
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
