/** Settings of `gnt-cluster init`, as the file from which the server creates a cluster. */
import { hostname } from "node:os";
import { isIpAddress, isIpv4 } from "@ganeti-ts/config";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { Ending, prereqError } from "../../errors.js";
import type { OptionValues } from "../../invocation.js";
import { given } from "../../opcode.js";
import { clusterValuesOf } from "../../parameters/cluster-values.js";
import { splitPolicyOf } from "../../parameters/split-policy.js";

const lvmTemplates = ["drbd", "plain"];

/** Settings that the server takes unchecked; it checks all others as a change of the cluster. */
const plainValues: Readonly<Record<string, string>> = {
  master_netdev: "master_netdev",
  master_netmask: "master_netmask",
  vg_name: "volume_group_name",
  drbd_helper: "drbd_usermode_helper",
};

/** Settings that also have a key of their own in the file. */
const elsewhere = [
  ...["enabled_hypervisors", "enabled_disk_templates"],
  ...["file_storage_dir", "shared_file_storage_dir"],
];

/** `tell` gets remarks. @throws GanetiError, UsageError, Ending */
export function newClusterFile(
  name: string,
  options: OptionValues,
  tell: (text: string) => void,
): JsonObject {
  const netmask = options.text("master-netmask");
  if (netmask !== undefined && !/^\s*[+-]?\d+\s*$/.test(netmask)) {
    throw new Ending(`Invalid master netmask value: '${netmask}' is no number`);
  }
  const values = clusterValuesOf(options);
  const { enabled_hypervisors, enabled_disk_templates } = values;
  checkStorage((enabled_disk_templates as string[] | undefined) ?? lvmTemplates, options, tell);
  const split = splitPolicyOf(options);
  const parameters = Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => !(Object.hasOwn(plainValues, key) || elsewhere.includes(key)),
    ),
  );
  if (split !== undefined) {
    parameters.ipolicy = { ...(parameters.ipolicy as JsonObject | undefined), ...split };
  }
  return given({
    nodes: options.flag("simulated") ? nodesOf(name, options) : [thisMachine(options)],
    groups: ["default"],
    hypervisors: enabled_hypervisors,
    disk_templates: enabled_disk_templates,
    cluster: {
      ...given(
        Object.fromEntries(
          Object.entries(plainValues).map(([key, stored]) => [stored, values[key] || undefined]),
        ),
      ),
      // Set as in Ganeti, whether the templates are enabled or not.
      file_storage_dir: options.text("file-storage-dir") ?? "/srv/ganeti/file-storage",
      shared_file_storage_dir:
        options.text("shared-file-storage-dir") ?? "/srv/ganeti/shared-file-storage",
      gluster_storage_dir: options.text("gluster-storage-dir") ?? "/var/run/ganeti/gluster",
      ...given({
        primary_ip_family: family(options.text("primary-ip-version")),
        modify_etc_hosts: options.flag("no-etc-hosts") ? false : undefined,
        modify_ssh_setup: options.flag("no-ssh-init") ? false : undefined,
      }),
      ...sshKeys(options),
    },
    parameters,
  });
}

/** The master of a cluster of real machines; the server finds its full name and address. */
function thisMachine(options: OptionValues): Json {
  const { primary_ip, secondary_ip } = addressesOf(options);
  return given({ name: hostname(), primary_ip, secondary_ip });
}

/** @throws GanetiError */
function addressesOf(options: OptionValues) {
  const secondary_ip = options.text("secondary-ip");
  const primary_ip = options.text("primary-ip");
  if (secondary_ip !== undefined && !isIpv4(secondary_ip)) {
    throw prereqError(`Secondary IP address (${secondary_ip}) has to be a valid IPv4 address.`);
  }
  if (primary_ip !== undefined && !isIpAddress(primary_ip)) {
    throw prereqError(`Primary IP address (${primary_ip}) has to be a valid IP address.`);
  }
  return { primary_ip, secondary_ip };
}

/** In the domain of the cluster; node1 is the master. */
function nodesOf(name: string, options: OptionValues): Json {
  const count = options.integer("nodes") ?? 1;
  if (count < 1) throw new Ending("A cluster has at least one node");
  const { primary_ip, secondary_ip } = addressesOf(options);
  if (secondary_ip !== undefined && count > 1) {
    throw new Ending(
      "--secondary-ip is the master's: add the other nodes afterwards, each with its own",
    );
  }
  const domain = name.includes(".") ? name.slice(name.indexOf(".") + 1) : name;
  return Array.from({ length: count }, (_, at) =>
    given({
      name: `node${at + 1}.${domain}`,
      secondary_ip,
      primary_ip: at === 0 ? primary_ip : undefined,
    }),
  );
}

function checkStorage(
  templates: readonly string[],
  options: OptionValues,
  tell: (text: string) => void,
): void {
  const group = options.text("vg-name");
  const helper = options.text("drbd-usermode-helper");
  const usesLvm = lvmTemplates.some((one) => templates.includes(one));
  if (group === "" && usesLvm) {
    throw new Ending("LVM disk templates are enabled, but vg name not set.");
  }
  if (group && !usesLvm) {
    tell(
      "You specified a volume group with --vg-name, but you did not enable any disk template that uses lvm.",
    );
  }
  if (helper === "" && templates.includes("drbd")) {
    throw new Ending("Unsetting the drbd usermode helper while enabling DRBD is not allowed.");
  }
  if (helper !== undefined && !templates.includes("drbd")) {
    tell("Note: You specified a DRBD usermode helper, while DRBD storage is not enabled.");
  }
}

function family(version: string | undefined): number | undefined {
  if (version === undefined || version === "4") return undefined;
  if (version === "6") return 10;
  throw new Ending(`Invalid primary ip version value: '${version}' is neither 4 nor 6`);
}

const keyBits: Readonly<Record<string, { usual: number; fits: (bits: number) => boolean }>> = {
  rsa: { usual: 2048, fits: (bits) => bits >= 768 },
  dsa: { usual: 1024, fits: (bits) => bits === 1024 },
  ecdsa: { usual: 384, fits: (bits) => [256, 384, 521].includes(bits) },
};

function sshKeys(options: OptionValues): JsonObject {
  const type = options.text("ssh-key-type") ?? "rsa";
  const bits = options.integer("ssh-key-bits") ?? keyBits[type]?.usual ?? 0;
  if (!keyBits[type]?.fits(bits)) {
    throw prereqError(`Invalid key type and bit size combination: ${type} with ${bits} bits`);
  }
  return { ssh_key_type: type, ssh_key_bits: bits };
}
