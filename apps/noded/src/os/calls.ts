/** Calls about OS definitions. */
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtStorageDefinition, OsCalls, OsDefinition } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import type { Checks } from "../host/verification.js";
import { outputOf, reasonOf, succeeded } from "../machine/runner.js";
import { visibleNames } from "../machine/visible-names.js";
import { required } from "../storage/ext/provider.js";
import { findOs, listOf, readDefinition, scriptFault, splitName, withHelp } from "./definition.js";
import { coreEnvironment } from "./environment.js";
import { type OsPorts, osLogPath, prepared, runScript } from "./os-scripts.js";

export const osCalls = (ports: OsPorts) =>
  handlers({
    os_diagnose: () => diagnoseOs(ports.paths.osSearch),
    extstorage_diagnose: () => diagnoseExtStorage(ports.paths.extStorageSearch),
    os_validate: (args) => validate(ports, args),
    os_export: (args) => packed(ports, args),
    async instance_os_add({ instance, reinstall, debugLevel }) {
      const { os, environment } = await prepared(ports, instance, debugLevel);
      const log = osLogPath(ports, `add-${instance.os}-${instance.name}`);
      const extra = reinstall ? { INSTANCE_REINSTALL: "1" } : {};
      await runScript(ports, {
        ...{ script: "create", os, log },
        environment: { ...environment, ...extra },
      });
    },
    async instance_run_rename({ instance, oldName, debugLevel }) {
      const { os, environment } = await prepared(ports, instance, debugLevel);
      const log = osLogPath(ports, `rename-${instance.os}-${oldName}-${instance.name}`);
      await runScript(ports, {
        ...{ script: "rename", os, log },
        environment: { ...environment, OLD_INSTANCE_NAME: oldName },
      });
    },
  });

/** All definitions, including those hidden by an earlier directory. */
async function diagnoseOs(search: readonly string[]): Promise<readonly OsDefinition[]> {
  const found: OsDefinition[] = [];
  for (const directory of search) {
    for (const name of await visibleNames(directory)) {
      const { effectiveVersion: _, ...definition } = await readDefinition(
        name,
        join(directory, name),
      );
      found.push(definition);
    }
  }
  return found;
}

async function validate(
  { paths, run }: OsPorts,
  { required, name, checks, parameters, forceVariant }: OsCalls["os_validate"]["arguments"],
): Promise<boolean> {
  const { base, variant } = splitName(name);
  const os = await findOs(paths, base);
  if (os === null || !os.valid) {
    if (!required) return false;
    throw new NodeFailure(os?.fault ?? `Directory for OS ${base} not found in search path`);
  }
  if (!forceVariant) checkVariant(name, variant, os.variants, os.name);
  if ((os.effectiveVersion ?? 0) < 20) return true;
  if (checks.includes("parameters")) {
    const known = new Set(os.parameters.map(([parameter]) => parameter));
    const unknown = Object.keys(parameters).filter((parameter) => !known.has(parameter));
    if (unknown.length > 0) {
      throw new NodeFailure(
        `The following parameters are not supported by the OS ${os.name}: ${unknown.join(", ")}`,
      );
    }
  }
  const ended = await run.run({
    program: join(os.path, "verify"),
    args: checks,
    env: coreEnvironment(os, name, parameters),
    cleanEnv: true,
    cwd: os.path,
  });
  if (succeeded(ended)) return true;
  throw new NodeFailure(
    `OS validation script failed (${reasonOf(ended)}), output: ${outputOf(ended)}`,
  );
}

function checkVariant(
  name: string,
  variant: string,
  variants: readonly string[],
  base: string,
): void {
  if (variants.length === 0) {
    if (variant === "") return;
    throw new NodeFailure(`OS '${base}' does not support variants ('${variant}' passed)`);
  }
  if (variant === "") throw new NodeFailure(`OS name '${name}' must include a variant`);
  if (!variants.includes(variant)) {
    throw new NodeFailure(`OS '${base}' does not support variant '${variant}'`);
  }
}

/** Packs the definition and the environment of its scripts into an archive. */
async function packed(
  ports: OsPorts,
  { instance, environment }: OsCalls["os_export"]["arguments"],
): Promise<string> {
  const own = await prepared(ports, instance);
  const folder = await mkdtemp(join(tmpdir(), "ganeti-os-export-"));
  const archive = `${folder}.tgz`;
  try {
    await symlink(own.os.path, join(folder, "os"));
    const lines = Object.entries({ ...own.environment, ...environment });
    const text = lines.map(([name, value]) => `${name}=${value}\n`).join("");
    await writeFile(join(folder, "environment"), text, { mode: 0o600 });
    const args = ["--dereference", "-czf", archive, "-C", folder, "."];
    const ended = await ports.run.run({ program: "tar", args });
    if (!succeeded(ended)) throw new NodeFailure(`Cannot pack the OS: ${outputOf(ended)}`);
    return archive;
  } catch (error) {
    await rm(archive, { force: true });
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const osChecks = ({ paths }: Pick<NodeContext, "paths">): Checks => ({
  osList: async () => ({ osList: await diagnoseOs(paths.osSearch) }),
});

/** All providers, including those hidden by an earlier directory. */
async function diagnoseExtStorage(
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
  for (const script of required) {
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
