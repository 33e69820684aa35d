/** gnt-node list-drbd: lists the DRBD minors of a node with their disks. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { plainTable } from "../../plain-table.js";
import { instanceData } from "../instance-data.js";
import { byName } from "../named.js";
import { type DrbdRow, drbdRows } from "./drbd-rows.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const fields = ["name", "pinst_list", "sinst_list"];
  const [node] = await byName(invocation, "node", fields, args);
  if (node === undefined) throw prereqError(`Node '${args[0]}' not known`, "unknown_entity");
  const instances = [...(node.pinst_list as string[]), ...(node.sinst_list as string[])];
  const rows: readonly DrbdRow[] =
    instances.length === 0
      ? []
      : drbdRows(String(node.name), await instanceData(invocation, instances, true));
  const columns = [
    ...[{ title: "Node" }, { title: "Minor", type: "number" as const }, { title: "Instance" }],
    ...[{ title: "Disk" }, { title: "Role" }, { title: "PeerNode" }],
  ];
  const style = { headers: !options.flag("no-headers"), separator: options.text("separator") };
  for (const line of plainTable(columns, rows, style)) out.line(line);
  out.document(rows);
  return 0;
}
