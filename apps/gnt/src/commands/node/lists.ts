/** gnt-node list, volumes and list-storage. */
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { list } from "../../listing.js";
import { given } from "../../opcode.js";
import { defaultNodeFields, defaultStorageFields, defaultVolumeFields } from "../default-fields.js";
import { tableOfJob } from "./table-of-job.js";

const joined = { text: (value: Json) => (value as readonly string[]).join(",") };

export const nodes = (invocation: Invocation): Promise<ExitCode> =>
  list(invocation, {
    kind: "node",
    defaultFields: defaultNodeFields,
    dispensable: ["mnode", "dtotal", "mtotal"],
    formats: { pinst_list: joined, sinst_list: joined, tags: joined },
  });

export const volumes = (invocation: Invocation): Promise<ExitCode> =>
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

export const storage = (invocation: Invocation): Promise<ExitCode> =>
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
