/**
 * Parameters of OP_CLUSTER_SET_PARAMS from the options shared by `gnt-cluster init` and `modify`.
 */
import { ConfigError, parseUidPool } from "@ganeti-ts/config";
import {
  allocatorRequests,
  diskTemplates,
  hypervisors,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";
import { Ending, prereqError } from "../errors.js";
import type { OptionValues } from "../invocation.js";
import { fromOptions, given } from "../opcode.js";
import { policyOf } from "./policy.js";
import { byId, statesOf } from "./states.js";

/** @throws GanetiError, UsageError, Ending */
export const clusterValuesOf = (options: OptionValues): JsonObject => ({
  ...given({
    ...fromOptions(options, "vg-name", "candidate-pool-size", "maintain-node-health"),
    ...fromOptions(options, "default-iallocator-params", "prealloc-wipe-disks", "mac-prefix"),
    ...fromOptions(options, "master-netdev", "use-external-mip-script", "file-storage-dir"),
    ...fromOptions(options, "shared-file-storage-dir", "install-image", "zeroing-image"),
    drbd_helper: options.text("drbd-usermode-helper"),
    enabled_hypervisors: known(options.text("enabled-hypervisors"), hypervisors, "hypervisor"),
    enabled_disk_templates: known(
      options.text("enabled-disk-templates") || undefined,
      diskTemplates,
      "disk template",
    ),
    hvparams: byId(options.idKeyValues("hypervisor-parameters")),
    beparams: options.keyValues("backend-parameters"),
    nicparams: options.keyValues("nic-parameters"),
    ndparams: options.keyValues("node-parameters"),
    diskparams: byId(options.idKeyValues("disk-parameters")),
    ipolicy: policyOf(options, "cluster"),
    uid_pool: uidPool(options.text("uid-pool")),
    default_iallocator: defaultAllocators(options),
    master_netmask: netmask(options.text("master-netmask")),
    compression_tools: compressionTools(options.text("compression-tools")),
    enabled_user_shutdown: options.yesNo("user-shutdown"),
  }),
  ...statesOf(options),
});

/** `10-20,30`: pairs of first and last. @throws GanetiError */
export function uidPool(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return parseUidPool(text).map(([low, high]) => [low, high]);
  } catch (error) {
    if (error instanceof ConfigError) throw prereqError(error.message);
    throw error;
  }
}

/** One list for all types of requests, or those of single types. @throws GanetiError */
function defaultAllocators(options: OptionValues): Json | undefined {
  const all = options.text("default-iallocator");
  const lists = options.texts("default-iallocator-for").map((text) => {
    const [request = "", value] = text.split(/=(.*)/s);
    if (!(allocatorRequests as readonly string[]).includes(request)) {
      throw prereqError(
        `Unknown type of request '${request}': choose from ${allocatorRequests.join(", ")}`,
      );
    }
    if (value === undefined) throw prereqError(`${request} needs names: ${request}=NAME,…`);
    return [request, value.split(",").filter((name) => name !== "")] as const;
  });
  if (lists.length === 0) return all;
  if (all === undefined) return Object.fromEntries(lists);
  throw prereqError("Give either --default-iallocator or --default-iallocator-for, not both");
}

const names = (text: string | undefined): Json | undefined => text?.split(",");

/** An empty text stands for the defaults. */
const compressionTools = (text: string | undefined): Json | undefined =>
  text === "" ? ["gzip", "gzip-fast", "gzip-slow"] : names(text);

function netmask(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
  throw new Ending("The --master-netmask option expects an int parameter.");
}

/** Names separated by commas, each one of `choices`. @throws GanetiError for an unknown one */
function known(text: string | undefined, choices: readonly string[], kind: string) {
  const unknown = text?.split(",").find((name) => !choices.includes(name));
  if (unknown === undefined) return names(text);
  throw prereqError(`Unknown ${kind} '${unknown}': choose from ${choices.join(", ")}`);
}
