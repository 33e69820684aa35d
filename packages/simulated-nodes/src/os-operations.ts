/** Calls about operating systems and external storage. */
import type { OsCalls, OsDefinition } from "@ganeti-ts/node-calls";
import type { HostState } from "./node-state.js";
import { type CallsOnHost, NodeFault } from "./site.js";

/** The effective definition for a name with or without its variant. */
export function osOf(host: HostState, name: string): OsDefinition {
  const [base] = name.split("+", 1) as [string];
  const found = host.operatingSystems.find((os) => os.name === base);
  if (found === undefined) {
    throw new NodeFault(`Directory for OS ${base} not found in search path`);
  }
  if (!found.valid) throw new NodeFault(found.fault);
  return found;
}

export const osOperations: CallsOnHost<keyof OsCalls> = {
  os_diagnose: ({ host }) => structuredCopy(host.operatingSystems),
  extstorage_diagnose: ({ host }) => structuredCopy(host.extStorage),
  os_export({ host }, { instance }) {
    const { name } = osOf(host, instance.os ?? "");
    const path = `/tmp/${instance.uuid}-${name}.tgz`;
    host.files[path] = `${name} for ${instance.name}`;
    return path;
  },
  os_validate({ host }, { required, name, checks, parameters, forceVariant }) {
    const known = host.operatingSystems.find((os) => os.name === name.split("+", 1)[0]);
    if (!required && !known?.valid) return false;
    const os = osOf(host, name);
    if (!forceVariant) checkVariant(os, name);
    if (Math.max(...os.apiVersions) < 20 || !checks.includes("parameters")) return true;
    const supported = new Set(os.parameters.map(([parameter]) => parameter));
    const unknown = Object.keys(parameters).filter((parameter) => !supported.has(parameter));
    if (unknown.length > 0) {
      throw new NodeFault(
        `The following parameters are not supported by the OS ${os.name}: ${unknown.join(", ")}`,
      );
    }
    return true;
  },
};

function checkVariant({ name: osName, variants }: OsDefinition, name: string): void {
  const plus = name.indexOf("+");
  const variant = plus < 0 ? "" : name.slice(plus + 1);
  if (variants.length === 0) {
    if (variant !== "") {
      throw new NodeFault(`OS '${osName}' does not support variants ('${variant}' passed)`);
    }
    return;
  }
  if (variant === "") throw new NodeFault(`OS name '${name}' must include a variant`);
  if (!variants.includes(variant)) {
    throw new NodeFault(`OS '${osName}' does not support variant '${variant}'`);
  }
}

/** A copy that its receiver may change. */
export const structuredCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
