/** External storage providers: directories of scripts that the administrator has installed. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { NodeFailure } from "../../failure.js";
import type { NodePaths } from "../../machine/paths.js";
import { scriptFault } from "../../os/definition.js";

/** Scripts that each provider has. */
export const required = [
  "create",
  "attach",
  "detach",
  "remove",
  "grow",
  "setinfo",
  "verify",
] as const;
const optional = ["snapshot", "open", "close"] as const;

export type ExtAction = (typeof required)[number] | (typeof optional)[number];

export interface Provider {
  readonly name: string;
  readonly directory: string;
  /** Absent for optional scripts that the provider does not have. */
  readonly scripts: Readonly<Partial<Record<ExtAction, string>>>;
}

/** The provider of that name in the search path. Rejects with NodeFailure if it is missing or incomplete. */
export async function providerNamed(
  { extStorageSearch }: Pick<NodePaths, "extStorageSearch">,
  name: unknown,
): Promise<Provider> {
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]+$/.test(name)) {
    throw new NodeFailure(`Invalid name of an external storage provider: ${JSON.stringify(name)}`);
  }
  for (const folder of extStorageSearch) {
    const directory = join(folder, name);
    if ((await stat(directory).catch(() => null))?.isDirectory()) return provider(name, directory);
  }
  throw new NodeFailure(`Directory for External Storage Provider ${name} not found in search path`);
}

async function provider(name: string, directory: string): Promise<Provider> {
  const scripts: Partial<Record<ExtAction, string>> = {};
  for (const action of required) scripts[action] = await script(directory, action);
  for (const action of optional) {
    const exists = await stat(join(directory, action)).catch(() => null);
    if (exists !== null) scripts[action] = await script(directory, action);
  }
  const list = join(directory, "parameters.list");
  await readFile(list).catch((error: Error) => {
    throw new NodeFailure(
      `File 'parameters.list' under path '${directory}' is missing (${error.message})`,
    );
  });
  return { name, directory, scripts };
}

async function script(directory: string, action: ExtAction): Promise<string> {
  const fault = await scriptFault(directory, action);
  if (fault !== null) throw new NodeFailure(fault);
  return join(directory, action);
}
