/** Listing of the providers of external storage. */
import { join } from "node:path";
import type { ExtStorageDefinition } from "@ganeti-ts/node-calls";
import { visibleNames } from "../machine/visible-names.js";
import { listOf, scriptFault, withHelp } from "./definition.js";

const scripts = ["create", "attach", "detach", "remove", "grow", "setinfo", "verify"];

/** All providers, including those hidden by an earlier directory. */
export async function diagnoseExtStorage(
  search: readonly string[],
): Promise<readonly ExtStorageDefinition[]> {
  const found: ExtStorageDefinition[] = [];
  for (const directory of search) {
    for (const name of await visibleNames(directory)) found.push(await provider(directory, name));
  }
  return found;
}

async function provider(directory: string, name: string): Promise<ExtStorageDefinition> {
  const path = join(directory, name);
  const invalid = (fault: string) => ({ name, path, valid: false, fault, parameters: [] });
  for (const script of scripts) {
    const fault = await scriptFault(path, script);
    if (fault !== null) return invalid(fault);
  }
  const lines = await listOf(path, "parameters.list");
  if (typeof lines === "string") {
    const list = join(path, "parameters.list");
    return invalid(`Error while reading the EXT parameters file at ${list}: ${lines}`);
  }
  const parameters = lines.filter((line) => line !== "").map(withHelp);
  return { name, path, valid: true, fault: "", parameters };
}
