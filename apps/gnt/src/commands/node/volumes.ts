/** gnt-node volumes. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { defaultVolumeFields } from "./fields.js";
import { tableOfJob } from "./table-of-job.js";

export const run = (invocation: Invocation): Promise<ExitCode> =>
  tableOfJob(invocation, {
    opcode: { OP_ID: "OP_NODE_QUERYVOLS" },
    defaultFields: defaultVolumeFields,
    columns: {
      node: { title: "Node" },
      phys: { title: "PhysDev" },
      vg: { title: "VG" },
      name: { title: "Name" },
      instance: { title: "Instance" },
      size: { title: "Size", type: "size" },
    },
  });
