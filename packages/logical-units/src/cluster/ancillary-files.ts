/**
 * Ancillary files: files besides the configuration that all nodes share, and their distribution.
 */
import type { Snapshot } from "@ganeti-ts/config";
import {
  configurationDirectory,
  dataDirectory,
  listedPaths,
  type MasterFile,
  masterIpScript,
  redistributionList,
  uploadTargets,
  xenFiles,
} from "@ganeti-ts/node-calls";
import type { Json, NodeUuid } from "@ganeti-ts/protocol";
import { ask, warn } from "../unit/effects.js";
import type { World } from "../unit/unit.js";

export interface AncillaryFile {
  readonly path: string;
  /** Only nodes that can have instances get it. */
  readonly forInstances: boolean;
}

const everywhere = [
  ...["known_hosts", "hmac.key", "cluster-domain-secret", "spice.pem", "spice-ca.pem"],
  ...["rapi/users", "rapi.pem"],
].map((name) => `${dataDirectory}/${name}`);

const ofHypervisors: { readonly [name: string]: readonly string[] } = {
  "xen-pvm": xenFiles,
  "xen-hvm": xenFiles,
  kvm: [`${configurationDirectory}/kvm-vif-bridge`],
};

/** Hypervisors whose displays may take passwords from files. */
const withDisplays: ReadonlySet<string> = new Set(["kvm", "xen-hvm"]);
const passwordParameters = ["vnc_password_file", "spice_password_file"];

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
 * @returns the names of the nodes that lack a file which the master has; all of them if its files cannot be read
 */
export async function distributeAncillaryFiles(
  world: World,
  only?: readonly NodeUuid[],
): Promise<ReadonlySet<string>> {
  const { snapshot: now } = world.config;
  const { master_node: master } = now.cluster;
  const targets = Array.from(now.nodes()).filter(
    ({ uuid, offline }) => uuid !== master && !offline && (only?.includes(uuid) ?? true),
  );
  if (targets.length === 0) return new Set();
  const files = await filesToSend(world);
  if (files === null) return new Set(targets.map(({ name }) => name));
  const missing = new Set<string>();
  for (const { forInstances, ...file } of files) {
    await Promise.all(
      targets.map(async ({ uuid, name, vm_capable }) => {
        if (forInstances && !vm_capable) return;
        const answer = await ask(world, uuid, "upload_file", file);
        if (answer.ok) return;
        missing.add(name);
        warn(world, `Copy of file ${file.path} to node ${name} failed: ${answer.message}`);
      }),
    );
  }
  return missing;
}

/** Null if the master's files cannot be read. The list goes first: nodes take the files that it names. */
async function filesToSend(world: World): Promise<readonly (MasterFile & AncillaryFile)[] | null> {
  const read = async (paths: readonly string[]) => {
    const answer = await world.masterHost.readFiles(paths);
    if (answer.ok) return answer.value;
    warn(world, `Cannot read files of the master: ${answer.message}`);
    return null;
  };
  const files = ancillaryFiles(world.config.snapshot);
  const found = await read([...files.map(({ path }) => path), redistributionList]);
  const owned = listedPaths(ownPart(found?.[redistributionList]?.content ?? ""));
  const ownFound = owned.length === 0 ? {} : await read(owned);
  if (found === null || ownFound === null) return null;
  for (const path of owned) {
    if (ownFound[path] !== undefined) continue;
    warn(world, `File ${path} of ${redistributionList} is not there`);
  }
  const contents: { [path: string]: MasterFile } = { ...found, ...ownFound };
  const list = listForNodes(files, contents);
  if (list !== null) contents[redistributionList] = list;
  return [redistributionList, ...files, ...owned].flatMap((entry) => {
    const file = typeof entry === "string" ? { path: entry, forInstances: false } : entry;
    const content = contents[file.path];
    return content === undefined ? [] : [{ ...content, ...file }];
  });
}

const addedPart = "# Added by the server, not kept: password files of displays";

/** A node that becomes the master has the list of the former one. */
const ownPart = (list: string): string => list.split(addedPart, 1)[0] ?? "";

/**
 * The owner's list, with the password files that nodes do not take otherwise; null if there is neither. Without a list of the
 * owner it has the owner and the mode of the first such file.
 */
function listForNodes(
  files: readonly AncillaryFile[],
  contents: { readonly [path: string]: MasterFile },
): MasterFile | null {
  const added = files.filter(
    ({ path }) => contents[path] !== undefined && !uploadTargets.includes(path),
  );
  const own = contents[redistributionList];
  const first = added[0] && contents[added[0].path];
  const attributes = own ?? (first && { ...first, owner: "root", group: "root" });
  if (attributes === undefined) return null;
  const lines = [addedPart, ...added.map(({ path }) => path)];
  const content = ownPart(own?.content ?? "");
  return {
    ...attributes,
    content:
      added.length === 0 ? content : `${content.trimEnd()}\n${lines.join("\n")}\n`.trimStart(),
  };
}
