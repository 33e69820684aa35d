/**
 * Ancillary files: files besides the configuration that all nodes share, and their distribution.
 */
import type { Snapshot } from "@ganeti-ts/config";
import { configurationDirectory, dataDirectory } from "@ganeti-ts/node-calls";
import type { Json, NodeUuid } from "@ganeti-ts/protocol";
import { ask } from "../unit/calls.js";
import { warn } from "../unit/feedback.js";
import type { World } from "../unit/unit.js";

export interface AncillaryFile {
  readonly path: string;
  /** Only nodes that can have instances get it. */
  readonly forInstances: boolean;
}

/** List of paths of the owner's own files, one per line; the list is distributed as well. */
const ownerList = `${configurationDirectory}/redistribute-files`;

const everywhere = [
  ...["known_hosts", "hmac.key", "cluster-domain-secret", "spice.pem", "spice-ca.pem"],
  ...["rapi/users", "rapi.pem"],
].map((name) => `${dataDirectory}/${name}`);

const ofHypervisors: { readonly [name: string]: readonly string[] } = {
  "xen-pvm": ["/etc/xen/xl.conf", "/etc/xen/scripts/vif-bridge"],
  "xen-hvm": ["/etc/xen/xl.conf", "/etc/xen/scripts/vif-bridge"],
  kvm: [`${configurationDirectory}/kvm-vif-bridge`],
};

/** Hypervisors whose displays may take passwords from files. */
const withDisplays: ReadonlySet<string> = new Set(["kvm", "xen-hvm"]);
const passwordParameters = ["vnc_password_file", "spice_password_file"];

/** The administrator's program that brings the cluster's address up and down. */
export const masterIpScript = `${configurationDirectory}/scripts/master-ip-setup`;

/** All such files, whether they exist or not. O(instances). */
export function ancillaryFiles(now: Snapshot): readonly AncillaryFile[] {
  const { cluster } = now;
  const files = new Map<string, boolean>();
  for (const path of everywhere) files.set(path, false);
  if (cluster.modify_etc_hosts) files.set("/etc/hosts", false);
  if (cluster.use_external_mip_script) {
    files.set(masterIpScript, false);
  }
  for (const hypervisor of cluster.enabled_hypervisors) {
    for (const path of ofHypervisors[hypervisor] ?? []) files.set(path, true);
  }
  for (const path of passwordFiles(now)) files.set(path, true);
  return Array.from(files, ([path, forInstances]) => ({ path, forInstances }));
}

/** Whether a change of the cluster has added common files, or has extended some to more nodes. */
export function hasMoreAncillaryFiles(before: Snapshot, now: Snapshot): boolean {
  const textOf = ({ path, forInstances }: AncillaryFile) => `${forInstances} ${path}`;
  const known = new Set(ancillaryFiles(before).map(textOf));
  return ancillaryFiles(now).some((file) => !known.has(textOf(file)));
}

/** Password files of the cluster, of operating systems and of instances. */
function* passwordFiles(now: Snapshot): Iterable<string> {
  const { enabled_hypervisors, hvparams, os_hvp } = now.cluster;
  const enabled = enabled_hypervisors.filter((name) => withDisplays.has(name));
  for (const name of enabled) {
    yield* pathsFrom(hvparams[name]);
    for (const ofOs of Object.values(os_hvp)) yield* pathsFrom(ofOs[name]);
  }
  for (const { hypervisor, hvparams } of now.instances()) {
    // Few instances have parameters of their own, and a large cluster has many instances.
    if (hvparams === undefined || !passwordParameters.some((name) => name in hvparams)) continue;
    if (enabled.some((name) => name === hypervisor)) yield* pathsFrom(hvparams);
  }
}

const pathsFrom = (parameters: { readonly [name: string]: Json } = {}): readonly string[] =>
  passwordParameters.flatMap((parameter) => {
    const path = parameters[parameter];
    return typeof path === "string" && path !== "" ? [path] : [];
  });

/**
 * Sends the master's copies of these files, and of the owner's files, to the other online nodes, or
 * only to `only`. Files that the master lacks are left out; a node that refuses a file causes a
 * warning.
 */
export async function distributeAncillaryFiles(
  world: World,
  only?: readonly NodeUuid[],
): Promise<void> {
  const { snapshot: now } = world.config;
  const { master_node: master } = now.cluster;
  const targets = Array.from(now.nodes()).filter(
    ({ uuid, offline }) => uuid !== master && !offline && (only?.includes(uuid) ?? true),
  );
  if (targets.length === 0) return;
  const read = async (paths: readonly string[]) => {
    const answer = await world.masterHost.readFiles(paths);
    if (answer.ok) return answer.value;
    warn(world, `Cannot read files of the master: ${answer.message}`);
    return {};
  };
  const files = ancillaryFiles(now);
  const found = await read([...files.map(({ path }) => path), ownerList]);
  const owned = pathsIn(found[ownerList]?.content ?? "");
  const ownFound = owned.length === 0 ? {} : await read(owned);
  for (const path of owned) {
    if (ownFound[path] === undefined) warn(world, `File ${path} of ${ownerList} is not there`);
  }
  // The list goes first: nodes accept the files that it names, and no others besides Ganeti's own.
  const wanted: readonly AncillaryFile[] = [ownerList, ...files, ...owned].map((file) =>
    typeof file === "string" ? { path: file, forInstances: false } : file,
  );
  const contents = { ...found, ...ownFound };
  for (const { path, forInstances } of wanted) {
    const file = contents[path];
    if (file === undefined) continue;
    await Promise.all(
      targets.map(async ({ uuid, name, vm_capable }) => {
        if (forInstances && !vm_capable) return;
        const answer = await ask(world, uuid, "upload_file", { path, ...file });
        if (!answer.ok)
          warn(world, `Copy of file ${path} to node ${name} failed: ${answer.message}`);
      }),
    );
  }
}

/** One path per line; comments begin with `#`. */
const pathsIn = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line.startsWith("/"));
