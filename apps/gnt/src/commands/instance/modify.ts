/** `gnt-instance modify`. */
import { isFileBased, type Json, type JsonObject, pythonText } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending, prereqError } from "../../errors.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { fromOptions, ifSet, ifUnset, opcode } from "../../opcode.js";
import { backendTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { hypervisorParameters } from "./creation.js";
import { diskChanges, nicChanges } from "./device-changes.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, args, ask, out } = invocation;
  const [name = ""] = args;
  const wanted = modifyOpcode(name, options);
  if (changesNicInPlace(wanted) && wanted.hotplug === true && !options.flag("force")) {
    const question =
      "You are about to hot-modify a NIC. This will be done by removing the existing NIC and then" +
      " adding a new one. Network connection might be lost. Continue?";
    if (!(await ask.confirm(question, "--force"))) return 1;
  }
  const changed = (await runOpcode(invocation, wanted)) as readonly (readonly [string, Json])[];
  for (const line of changedText(name, changed, options.has("hypervisor-parameters"))) {
    out.line(line);
  }
  return 0;
}

const changesNicInPlace = ({ nics = [] }: OpcodeJson): boolean =>
  (nics as readonly (readonly Json[])[]).some(([action]) => action === "modify");

/** Report of the changes in the job's result; empty if there are none. */
function changedText(
  name: string,
  changed: readonly (readonly [string, Json])[] | null,
  isHypervisorChanged: boolean,
): string[] {
  if (changed === null || changed.length === 0) return [];
  return [
    `Modified instance ${name}`,
    ...changed.map(([what, value]) => ` - ${what.padEnd(5)} -> ${pythonText(value)}`),
    "Please don't forget that most parameters take effect only at the next (re)start of the" +
      " instance initiated by ganeti; restarting from within the instance will not be enough.",
    ...(isHypervisorChanged
      ? [
          "Note that changing hypervisor parameters without performing a restart might lead to a" +
            " crash while performing a live migration. This will be addressed in future Ganeti" +
            " versions.",
        ]
      : []),
  ];
}

/** Options of which at least one is required; the others only modify these. */
const changing = [
  ...["net", "disk", "disk-template", "hypervisor-parameters", "backend-parameters", "os-type"],
  ...["os-parameters", "os-parameters-private", "offline", "online", "runtime-memory"],
  ...["new-primary", "communication", "hypervisor"],
];

/** @throws GanetiError, Ending */
export function modifyOpcode(name: string, options: OptionValues): OpcodeJson {
  if (!changing.some((option) => options.has(option))) {
    throw new Ending("Please give at least one of the parameters.");
  }
  const beparams = options.keyValues("backend-parameters");
  const hvparams = options.keyValues("hypervisor-parameters");
  const template = options.text("disk-template");
  const ext_params = options.keyValues("ext-params");
  refuseConversion(options, template, ext_params);
  return opcode("OP_INSTANCE_SET_PARAMS", {
    instance_name: name,
    nics: nicChanges(options.idKeyValues("net")),
    disks: diskChanges(options.idKeyValues("disk")),
    hotplug: hotplugOf(options),
    ...fromOptions(options, "hotplug-if-possible", "file-driver", "file-storage-dir", "iallocator"),
    ...fromOptions(options, "hypervisor", "force-variant", "force", "ignore-ipolicy"),
    disk_template: template,
    ext_params,
    remote_node: options.text("node"),
    pnode: options.text("new-primary"),
    hvparams: hvparams && hypervisorParameters(withDefaults(hvparams), ["default"]),
    beparams: beparams && typed(withDefaults(beparams), backendTypes, ["default"]),
    runtime_mem: options.mebibytes("runtime-memory"),
    os_name: options.text("os-type"),
    osparams: options.keyValues("os-parameters"),
    osparams_private: options.keyValues("os-parameters-private"),
    wait_for_sync: ifUnset(options.flag("no-wait-for-sync")),
    offline: options.flag("offline") ? true : ifUnset(options.flag("online")),
    conflicts_check: ifUnset(options.flag("no-conflicts-check")),
    instance_communication: options.yesNo("communication"),
  });
}

/** The word that removes a value, in upper or lower case. */
const withDefaults = (given: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      ...[name, typeof value === "string" && value.toLowerCase() === "default" ? "default" : value],
    ]),
  );

function hotplugOf(options: OptionValues): boolean | undefined {
  if (options.flag("no-hotplug")) return false;
  return ifSet(options.flag("hotplug"));
}

/** Refuses options that require a conversion of the disks. @throws GanetiError, Ending */
function refuseConversion(
  options: OptionValues,
  template: string | undefined,
  ext: JsonObject | undefined,
): void {
  if (template !== undefined && template !== "ext" && ext !== undefined) {
    throw new Ending(
      "Specifying ExtStorage parameters requires converting to the 'ext' disk template",
    );
  }
  if (template === "ext" && ext === undefined) {
    throw new Ending("Provider option is missing, use either the '--ext-params' or '-e' option");
  }
  if ((options.has("file-driver") || options.has("file-storage-dir")) && !isFileBased(template)) {
    throw new Ending(
      "Specifying file-based configuration arguments requires converting to a file-based disk" +
        " template",
    );
  }
  if (ext === undefined) return;
  if (ext.provider === undefined) {
    throw prereqError(
      "Missing required parameter 'provider' when converting to an ExtStorage disk template",
    );
  }
  const fixed = Object.keys(ext).find((name) => ofDisks.includes(name));
  if (fixed !== undefined) {
    throw prereqError(
      `Invalid parameter '${fixed}' when converting to an ExtStorage template (it is not allowed` +
        " modifying existing disk parameters)",
    );
  }
}

/** Parameters of disks of every provider. */
const ofDisks = ["size", "mode", "adopt", "vg", "metavg", "name", "spindles", "access"];
