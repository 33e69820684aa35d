/** The opcode of `gnt-instance add` and `gnt-backup import`. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import { prereqError } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { fromOptions, ifSet, ifUnset, opcode } from "../../opcode.js";
import { backendTypes, hypervisorTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { newDisks, newNics } from "./devices.js";

/** A creation or, with `--forthcoming`, a reservation; `name` may be undefined. */
export function addOpcode(name: string | undefined, options: OptionValues): OpcodeJson {
  const forthcoming = options.flag("forthcoming");
  const commit = options.flag("commit");
  if (forthcoming && commit) {
    throw prereqError(
      "Creating an instance only forthcoming and commiting it are mutally exclusive",
    );
  }
  // Omitted values of a reservation stay open; those of a committed one are stored already.
  const isOpen = forthcoming || commit;
  return opcode("OP_INSTANCE_CREATE", {
    mode: commit ? undefined : "create",
    ...common(name, options),
    beparams: backendParameters(options, options.mebibytes("memory")),
    disks: disksOf(options, isOpen, true),
    nics: nicsOf(options) ?? (isOpen ? undefined : [{}]),
    ...nameChecks(options, isOpen),
    forthcoming: ifSet(forthcoming),
    commit: ifSet(commit),
    start: ifUnset(options.flag("no-start")),
    ...fromOptions(options, "os-type", "force-variant", "no-install"),
    instance_communication: options.yesNo("communication"),
  });
}

/** An import of an export. */
export const importOpcode = (name: string, options: OptionValues): OpcodeJson =>
  opcode("OP_INSTANCE_CREATE", {
    mode: "import",
    ...common(name, options),
    beparams: backendParameters(options, undefined),
    disks: disksOf(options, true, false) ?? [],
    nics: nicsOf(options) ?? [],
    ...nameChecks(options, false),
    start: false,
    ...fromOptions(options, "src-node", "identify-defaults", "compress"),
    src_path: options.text("src-dir"),
  });

function common(name: string | undefined, options: OptionValues): Record<string, Json | undefined> {
  const [pnode, snode] = splitNodes(options.text("node"));
  const [hypervisor, hvparams] = hypervisorOf(options);
  const tags = options.text("tags");
  return {
    instance_name: name,
    ...fromOptions(options, "disk-template", "file-storage-dir", "file-driver", "iallocator"),
    ...fromOptions(options, "opportunistic-locking", "ignore-ipolicy", "helper-startup-timeout"),
    ...fromOptions(options, "helper-shutdown-timeout"),
    group_name: options.text("node-group"),
    conflicts_check: ifUnset(options.flag("no-conflicts-check")),
    pnode,
    snode,
    wait_for_sync: ifUnset(options.flag("no-wait-for-sync")),
    hypervisor,
    hvparams,
    osparams: options.keyValues("os-parameters"),
    osparams_private: options.keyValues("os-parameters-private"),
    osparams_secret: options.keyValues("os-parameters-secret"),
    tags: tags === undefined ? undefined : tags.split(","),
  };
}

/** Undefined if a reservation leaves its disks open. @throws GanetiError */
function disksOf(
  options: OptionValues,
  isOpen: boolean,
  adopts: boolean,
): JsonObject[] | undefined {
  const listed = options.idKeyValues("disk");
  const sizes = [options.mebibytes("os-size"), options.mebibytes("swap-size")];
  const [osSize, swapSize] = sizes;
  const isSized = osSize !== undefined || swapSize !== undefined;
  if (options.text("disk-template") === "diskless") {
    if (listed.length > 0 || isSized)
      throw prereqError("Diskless instance but disk information passed");
    return [];
  }
  if (listed.length > 0 && isSized) {
    throw prereqError("Please use either the '--disk' or '-s' option");
  }
  if (swapSize !== undefined && osSize === undefined) {
    throw prereqError("The option '--swap-size' describes a second disk: '--os-size' is missing");
  }
  if (isSized) return sizes.flatMap((size) => (size === undefined ? [] : [{ size }]));
  if (listed.length > 0) return newDisks(listed, adopts);
  if (isOpen) return undefined;
  throw prereqError("No disk information specified");
}

/** Undefined if the options leave NICs open. */
function nicsOf(options: OptionValues): JsonObject[] | undefined {
  const listed = options.idKeyValues("net");
  if (listed.length > 0) return newNics(listed);
  return options.flag("no-nics") ? [] : undefined;
}

/** Names and addresses are checked unless disabled; for reservations only if enabled. */
function nameChecks(options: OptionValues, isOpen: boolean): Record<string, boolean> {
  const checked = (name: string) =>
    isOpen ? options.flag(name) : options.flag(name) || !options.flag(`no-${name}`);
  return { name_check: checked("name-check"), ip_check: checked("ip-check") };
}

/** @throws GanetiError */
function backendParameters(
  options: OptionValues,
  memory: number | undefined,
): JsonObject | undefined {
  const given = options.keyValues("backend-parameters");
  if (given === undefined && memory === undefined) return undefined;
  const listed = typed(given ?? {}, backendTypes);
  if (memory === undefined) return listed;
  const twice = ["memory", "minmem", "maxmem"].find((name) => name in listed);
  if (twice !== undefined)
    throw prereqError(`Please use either the '-m' option or '-B ${twice}=…'`);
  return { ...listed, memory };
}

/** @throws GanetiError */
function hypervisorOf(options: OptionValues): [string | undefined, JsonObject | undefined] {
  const [given] = options.idKeyValues("hypervisor-parameters");
  if (given === undefined) return [undefined, undefined];
  const [hypervisor, parameters] = given;
  if (parameters === false || parameters === null) {
    throw prereqError(`The hypervisor of an instance cannot be removed: '${hypervisor}'`);
  }
  return [hypervisor, hypervisorParameters(parameters)];
}

/**
 * Typed parameters. USB devices are separated by blanks, because commas separate the parameters;
 * opcodes have them with commas. `allowed` as in {@link typed}. @throws GanetiError
 */
export function hypervisorParameters(given: JsonObject, allowed: readonly Json[] = []): JsonObject {
  const parameters = typed(given, hypervisorTypes, allowed);
  const { usb_devices: devices } = parameters;
  if (typeof devices !== "string") return parameters;
  return { ...parameters, usb_devices: devices.replaceAll(" ", ",") };
}

/** Splits `node1:node2` into primary and secondary. */
export function splitNodes(given: string | undefined): [string | undefined, string | undefined] {
  if (given === undefined || !given.includes(":")) return [given, undefined];
  const at = given.indexOf(":");
  return [given.slice(0, at), given.slice(at + 1)];
}
