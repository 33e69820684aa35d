/** gnt-node list-drbd: lists the DRBD minors of a node with their disks. */
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { plainTable } from "../../plain-table.js";
import { styleOf } from "../../table.js";
import { instanceData } from "../instance-data.js";
import { byName } from "../named.js";

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
    ...["Node", { title: "Minor", type: "number" as const }, "Instance"],
    ...["Disk", "Role", "PeerNode"],
  ];
  for (const line of plainTable(columns, rows, styleOf(options))) out.line(line);
  out.document(rows);
  return 0;
}

/** Node, minor, instance, disk, role and the other node. */
type DrbdRow = readonly [string, number, string, string, string, string];

type Disk = {
  readonly iv_name?: string;
  readonly drbd_info?: {
    readonly primary_node: string;
    readonly primary_minor: number;
    readonly secondary_node: string;
    readonly secondary_minor: number;
  } | null;
  readonly children?: readonly Json[];
};

/** `data`: the result of OP_INSTANCE_QUERY_DATA. Sorted by minor. */
export function drbdRows(node: string, data: JsonObject): readonly DrbdRow[] {
  const rows = Object.entries(data).flatMap(([name, instance]) => {
    const disks = isJsonObject(instance) ? ((instance.disks ?? []) as Disk[]) : [];
    return disks.flatMap((disk, at): DrbdRow[] => {
      const { drbd_info: info } = disk;
      if (!info) return [];
      const shown = disk.iv_name ?? `disk/${at}`;
      return info.primary_node === node
        ? [[node, info.primary_minor, name, shown, "primary", info.secondary_node]]
        : info.secondary_node === node
          ? [[node, info.secondary_minor, name, shown, "secondary", info.primary_node]]
          : [];
    });
  });
  return rows.toSorted((a, b) => a[1] - b[1]);
}
