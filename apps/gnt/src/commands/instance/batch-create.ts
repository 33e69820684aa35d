/** `gnt-instance batch-create`. */
import { readFile } from "node:fs/promises";
import { isJsonObject, JsonError, type JsonObject, parseJson } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { opcode } from "../../opcode.js";
import { endOfEvacuation } from "../children.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const result = await runOpcode(
    invocation,
    opcode("OP_INSTANCE_MULTI_ALLOC", {
      iallocator: options.text("iallocator"),
      instances: definitions(await contentOf(args[0] ?? "")),
    }),
  );
  return endOfEvacuation(invocation, result, {
    done: "All instances created successfully.",
    failed: (count) => `There were ${count} errors during the creation.`,
  });
}

const contentOf = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error: Error) => {
    throw unparsable(error.message);
  });

const unparsable = (why: string) => new Ending(`Can't parse the instance definition file: ${why}`);

/** Creations listed in a file. @throws GanetiError, Ending */
export function definitions(text: string): JsonObject[] {
  let listed: unknown;
  try {
    listed = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw unparsable(error.message);
  }
  if (!Array.isArray(listed) || !listed.every(isJsonObject)) {
    throw new Ending("The instance definition file is not List of Dictionary");
  }
  for (const [at, definition] of listed.entries()) {
    const unknown = Object.keys(definition).filter((name) => !creationParameters.has(name));
    if (unknown.length > 0) {
      throw prereqError(`Unknown fields in definition ${at}: ${unknown.join(", ")}`);
    }
  }
  return listed;
}

export const creationParameters: ReadonlySet<string> = new Set([
  ...["OP_ID", "dry_run", "debug_level", "priority", "depends", "comment", "reason"],
  ...["instance_name", "force_variant", "wait_for_sync", "name_check", "ignore_ipolicy"],
  ...["opportunistic_locking", "beparams", "disks", "disk_template", "group_name", "file_driver"],
  ...["file_storage_dir", "hvparams", "hypervisor", "iallocator", "identify_defaults", "ip_check"],
  ...["conflicts_check", "mode", "nics", "no_install", "osparams", "osparams_private"],
  ...["osparams_secret", "os_type", "pnode", "pnode_uuid", "snode", "snode_uuid"],
  ...["source_handshake", "source_instance_name", "source_shutdown_timeout", "source_x509_ca"],
  ...["src_node", "src_node_uuid", "src_path", "compress", "start", "forthcoming", "commit"],
  ...["tags", "instance_communication", "helper_startup_timeout", "helper_shutdown_timeout"],
]);
