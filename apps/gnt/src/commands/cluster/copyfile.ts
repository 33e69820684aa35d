/** gnt-cluster copyfile: copies a file of this machine to the same path on nodes. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ExitCode } from "../../command.js";
import { Interrupted, prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { onlineNodes } from "../node/online.js";
import { isThisMachine } from "../node/this-machine.js";
import { askNode } from "./on-node.js";

/** Limit of a request to the server, minus room for JSON escapes. */
const bytesMax = 4 * 1024 * 1024;

/** Code 1 if a node did not get it. The node where this runs already has the file. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, signal } = invocation;
  const path = resolve(args[0] as string);
  const body = { path, ...contentOf(path) };
  if (options.flag("use-replication-network")) {
    out.error("Note: the server chooses the network to its nodes");
  }
  const nodes = await onlineNodes(invocation, options.texts("node"), options.text("node-group"));
  const copied: string[] = [];
  const failed: string[] = [];
  for (const { name } of nodes) {
    if (isThisMachine(name)) continue;
    if (signal.aborted) throw new Interrupted();
    const said = await askNode(invocation, ["PUT", "file"], name, body);
    (said.ok ? copied : failed).push(name);
    if (!said.ok) out.error(`Copy of file ${path} to node ${name} failed: ${said.problem}`);
    out.document({ path, copied: [...copied], failed: [...failed] });
  }
  return failed.length === 0 ? 0 : 1;
}

/** @throws GanetiError for a missing or unsuitable file */
function contentOf(path: string): { readonly content: string; readonly mode: number } {
  if (!existsSync(path)) throw prereqError(`No such filename '${path}'`);
  const { mode, size } = statSync(path);
  if (size > bytesMax) {
    throw prereqError(`File '${path}' has ${size} bytes: no more than ${bytesMax} can be copied`);
  }
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      readFileSync(path),
    );
    return { content, mode: mode & 0o7777 };
  } catch (error) {
    const why = error instanceof TypeError ? "it is no text in UTF-8" : (error as Error).message;
    throw prereqError(`Cannot copy '${path}': ${why}`);
  }
}
