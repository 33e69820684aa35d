/** Methods for disks of instances, and for their exports. */
import { HttpFault } from "../http/fault.js";
import { isEmpty } from "./instance-changes.js";
import { requireObject, submits } from "./job-method.js";

const replacement = "Replaces disks of an instance, or the node that mirrors them";
export const replace = submits("OP_INSTANCE_REPLACE_DISKS", replacement, {
  query: {
    mode: "Only without a body, as all that follow",
    disks: "Positions with commas between them",
    remote_node: "The new secondary",
    iallocator: "What chooses it",
    early_release: "1 frees the locks sooner",
  },
  body: ({ query, body }) => {
    const given = isEmpty(body)
      ? {
          remote_node: query.text("remote_node") ?? null,
          mode: query.text("mode") ?? null,
          disks: query.text("disks") ?? null,
          iallocator: query.text("iallocator") ?? null,
          ...(query.has("early_release") ? { early_release: query.flag("early_release") } : {}),
        }
      : requireObject(body);
    const { disks, ...others } = given;
    if (isEmpty(disks)) return others;
    if (typeof disks !== "string") return given;
    return { ...others, disks: disks.split(",").map(diskIndex) };
  },
});

function diskIndex(text: string): number {
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
  throw new HttpFault(
    400,
    `Invalid disk index passed: invalid literal for int() with base 10: '${text}'`,
  );
}

const preparation = "Prepares an export; the job's result has what the receiver needs";
export const prepareExport = submits("OP_BACKUP_PREPARE", preparation, {
  query: { mode: "local or remote" },
  fixed: { names: ["mode"], of: ({ query }) => ({ mode: query.text("mode") ?? null }) },
  body: "ignored",
});
