/** Names of new instances and of devices, and paths made of them. */
import { ownerOfName, type Snapshot } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { InstanceUuid } from "@ganeti-ts/protocol";
import { info } from "../../unit/effects.js";
import { wrongInput } from "../../unit/refusals.js";
import type { World } from "../../unit/unit.js";

/** In lower case, without a trailing dot. @throws PrereqError if it is not a valid host name. */
export function normalizedHostname(name: string): string {
  const lower = name.toLowerCase();
  const isValid = /^[a-z0-9._-]{1,255}$/.test(lower) && !lower.startsWith(".");
  if (!isValid) wrongInput(`Invalid hostname '${lower}'`);
  return lower.replace(/\.+$/, "");
}

/** The full name, which must begin with the given one, and its address. */
export async function resolvedHostname(
  world: World,
  name: string,
): Promise<{ readonly name: string; readonly ip: string }> {
  const found = await world.resolver.resolve(name);
  if (!found.ok) {
    const text = `The given name (${name}) does not resolve: ${found.reason}`;
    throw new PrereqError("resolver_error", text);
  }
  if (found.name !== name) info(world, `Resolved given name '${name}' to '${found.name}'`);
  if (found.name !== name && !found.name.startsWith(`${name}.`)) {
    const text = `Resolved hostname '${found.name}' does not look the same as given hostname '${name}'`;
    wrongInput(text);
  }
  return found;
}

/** Port of node daemons, which is tried to see whether a host answers at the instance's address. */
const aliveCheckPort = 1811;

export async function checkAddressFree(world: World, ip: string, name: string): Promise<void> {
  if (!(await world.resolver.isAlive(ip, aliveCheckPort))) return;
  throw new PrereqError("resource_not_unique", `IP ${ip} of instance ${name} already in use`);
}

/** @throws PrereqError `already_exists` if the name is in use */
export function checkNameFree(now: Snapshot, name: string | undefined, own?: InstanceUuid): void {
  const owner = name === undefined ? undefined : ownerOfName(now, "instance", name);
  if (owner === undefined || owner === own) return;
  throw new PrereqError("already_exists", `Instance '${name}' is already in the cluster`);
}

/** Strings that Python's `int` accepts. */
const wholeNumber = /^\s*[+-]?\d+(_\d+)*\s*$/;

/**
 * Checks that device names are unique within an instance, and that none equals another device's
 * UUID; `none` stands for no name.
 */
export function checkDeviceNames(
  kind: "disk" | "NIC",
  devices: readonly {
    readonly uuid?: string | undefined;
    readonly name?: string | null | undefined;
  }[],
): void {
  const seen = new Set<string>();
  for (const { uuid, name } of devices) {
    if (uuid !== undefined) seen.add(uuid);
    if (isNone(name)) continue;
    if (wholeNumber.test(name)) {
      wrongInput(`Invalid name '${name}'. Purely numeric ${kind} names are not allowed`);
    }
    if (seen.has(name)) {
      throw new PrereqError("resource_not_unique", `${kind} name '${name}' already used`);
    }
    seen.add(name);
  }
}

/** Whether the value is absent or the word `none`. */
export const isNone = (text: string | null | undefined): text is null | undefined | "none" =>
  text === undefined || text === null || text.toLowerCase() === "none";

/**
 * The first part is absolute. Nothing but the parts may be in the path: no `..`, no `.`, no slash twice or at the end.
 * Source: Ganeti, lib/utils/io.py, `PathJoin`. @throws ExecError
 */
export function joinedPath(parts: readonly [string, ...string[]]): string {
  const [base] = parts;
  const path = parts.reduce((before, part) => {
    if (part.startsWith("/")) return part;
    return before.endsWith("/") ? before + part : `${before}/${part}`;
  });
  const segments = path === "/" ? [] : path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    const said = parts.map((part) => `'${part}'`).join(", ");
    throw new ExecError(`Invalid parameters to PathJoin: '(${said})'`);
  }
  if (path !== base && !path.startsWith(`${base}/`)) {
    throw new ExecError(`Error: path joining resulted in different prefix (${path} != ${base})`);
  }
  return path;
}
