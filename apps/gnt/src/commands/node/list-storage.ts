/** gnt-node list-storage. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { given } from "../../opcode.js";
import { defaultStorageFields } from "./fields.js";
import { tableOfJob } from "./table-of-job.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  tableOfJob(invocation, {
    opcode: {
      OP_ID: "OP_NODE_QUERY_STORAGE",
      ...given({ storage_type: invocation.options.text("storage-type") }),
    },
    defaultFields: defaultStorageFields,
    columns: {
      node: { title: "Node" },
      type: { title: "Type" },
      name: { title: "Name" },
      size: { title: "Size", type: "size" },
      used: { title: "Used", type: "size" },
      free: { title: "Free", type: "size" },
      allocatable: { title: "Allocatable" },
    },
    shown: (field, value) => (field === "allocatable" ? (value ? "Y" : "N") : value),
  });
