/** gnt-backup export, import and remove. */
import { prereqError } from "../../errors.js";
import { runs } from "../../jobs/follow.js";
import { fromOptions, ifUnset, opcode } from "../../opcode.js";
import { importOpcode } from "../instance/creation.js";

/** @throws GanetiError if no node is given */
export const exportInstance = runs(({ args: [instance_name = ""], options }) => {
  const target_node = options.text("node");
  if (target_node === undefined) throw prereqError("Target node must be specified");
  return opcode("OP_BACKUP_EXPORT", {
    instance_name,
    mode: "local",
    target_node,
    compress: options.text("transport-compression"),
    shutdown: ifUnset(options.flag("noshutdown")),
    ...fromOptions(options, "shutdown-timeout", "remove-instance", "ignore-remove-failures"),
    ...fromOptions(options, "zero-free-space", "zeroing-timeout-fixed", "zeroing-timeout-per-mib"),
    ...fromOptions(options, "long-sleep"),
  });
});

export const importInstance = runs(({ args: [name = ""], options }) => importOpcode(name, options));

export const remove = runs(({ args: [instance_name = ""] }) =>
  opcode("OP_BACKUP_REMOVE", { instance_name }),
);
