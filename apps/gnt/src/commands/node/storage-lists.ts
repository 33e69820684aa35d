/** gnt-node volumes and list-storage: tables from the results of jobs. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { fieldsOf } from "../../listing.js";
import { given } from "../../opcode.js";
import { type PlainColumn, plainTable } from "../../plain-table.js";
import { styleOf } from "../../table.js";
import { defaultStorageFields, defaultVolumeFields } from "../default-fields.js";
import { askOneByOne } from "../one-by-one.js";

export const volumes = (invocation: Invocation): Promise<ExitCode> =>
  tableOfJob(invocation, {
    opcode: { OP_ID: "OP_NODE_QUERYVOLS" },
    defaultFields: defaultVolumeFields,
    columns: {
      node: "Node",
      phys: "PhysDev",
      vg: "VG",
      name: "Name",
      instance: "Instance",
      size: { title: "Size", type: "size" },
    },
  });

export const storage = (invocation: Invocation): Promise<ExitCode> =>
  tableOfJob(invocation, {
    opcode: {
      OP_ID: "OP_NODE_QUERY_STORAGE",
      ...given({ storage_type: invocation.options.text("storage-type") }),
    },
    defaultFields: defaultStorageFields,
    columns: {
      node: "Node",
      type: "Type",
      name: "Name",
      size: { title: "Size", type: "size" },
      used: { title: "Used", type: "size" },
      free: { title: "Free", type: "size" },
      allocatable: "Allocatable",
    },
    shown: (field, value) => (field === "allocatable" ? (value ? "Y" : "N") : value),
  });

interface JobTable {
  readonly opcode: { readonly OP_ID: string } & Readonly<Record<string, Json>>;
  readonly defaultFields: readonly string[];
  /** By field; the default title is the field's name. */
  readonly columns: Readonly<Record<string, PlainColumn>>;
  /** Converts values for display. */
  readonly shown?: (field: string, value: Json) => Json;
}

/** The nodes of the arguments, or all. */
async function tableOfJob(
  invocation: Invocation,
  { opcode, defaultFields, columns, shown = (_, value) => value }: JobTable,
): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const fields = fieldsOf(options.text("output"), { defaultFields });
  const ask = async (nodes: readonly string[]) =>
    (await runOpcode(invocation, { ...opcode, nodes, output_fields: [...fields] })) as Json[][];
  const found = (await askOneByOne(invocation, "node", args, ask)).flat();
  if (out.json) {
    out.document(
      found.map((row) => Object.fromEntries(row.map((value, at) => [fields[at] as string, value]))),
    );
    return 0;
  }
  const rows = found.map((row) => row.map((value, at) => shown(fields[at] as string, value)));
  const lines = plainTable(
    fields.map((field) => columns[field] ?? field),
    rows,
    { ...styleOf(options), units: options.text("units") },
  );
  for (const line of lines) out.line(line);
  return 0;
}
