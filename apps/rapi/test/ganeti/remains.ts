/** Comparison of the instances and disks on a bench's nodes with the configuration of our server there. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Configuration, consistencyFaults, type Snapshot } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";
import { openSqliteConfigStore } from "@ganeti-ts/store/sqlite";

/** The configuration of the server with this data folder, which may run, but must not change anything meanwhile. */
export async function configurationIn(data: string): Promise<Snapshot> {
  const copy = mkdtempSync(`${data}-copy-`);
  for (const end of ["", "-wal"]) {
    cpSync(join(data, `cluster.db${end}`), join(copy, `cluster.db${end}`));
  }
  const store = openSqliteConfigStore(join(copy, "cluster.db"));
  try {
    const ports = { clock: systemClock, random: secureRandom };
    return (await Configuration.open(store, ports)).snapshot;
  } finally {
    await store.close();
    rmSync(copy, { recursive: true });
  }
}

/** Everything on nodes that is not in the configuration, everything of the configuration that they lack, and claims. */
export function faultsOn(bench: ReferenceBench, now: Snapshot): readonly string[] {
  const claims = Array.from(now.claims(), ({ uuid }) => `${uuid} is still held`);
  const state = devicesOf(bench);
  return [
    ...consistencyFaults(now),
    ...claims,
    ...bench.nodes.flatMap((node) => faultsOnNode(node, now, state)),
    ...differences("file storage", fileFolders(bench), fileInstances(now)),
  ];
}

/** The stand-ins for LVM and DRBD write their state in place: a text that ends too early is read again. */
function devicesOf({ directory }: ReferenceBench): Devices {
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(directory, "devices/state.json"), "utf8"));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
}

interface Devices {
  readonly volumes: { readonly [node: string]: { readonly [name: string]: unknown } };
  readonly mirrors: { readonly [node: string]: { readonly [minor: string]: unknown } };
}

function faultsOnNode(node: ReferenceNode, now: Snapshot, state: Devices): readonly string[] {
  const found = now.findNode(node.name);
  if (found === undefined) return [`${node.name} is not in the configuration`];
  const { primary, secondary } = now.instancesOfNode(found.uuid);
  const real = [...primary, ...secondary].filter(({ forthcoming }) => !forthcoming);
  const disks = real.flatMap((one) => now.disksOf(one));
  const volumes = disks
    .flatMap((disk) => [disk, ...disk.children])
    .filter(({ dev_type }) => dev_type === "plain")
    .map(({ logical_id }) => String(logical_id?.[1]));
  const minors = disks
    .filter(({ dev_type }) => dev_type === "drbd")
    .map(({ logical_id }) => String(logical_id?.[logical_id[0] === found.uuid ? 3 : 4]));
  const up = primary.filter((one) => !one.forthcoming && one.admin_state === "up");
  const below = (path: string) => entries(join(node.root, "var", path));
  return [
    ...differences(`${node.name}: volumes`, Object.keys(state.volumes[node.name] ?? {}), volumes),
    ...differences(
      `${node.name}: mirrors`,
      Object.keys(state.mirrors[node.name] ?? {}).filter((minor) => !minors.includes(minor)),
      [],
    ),
    ...differences(
      `${node.name}: instances`,
      below("run/ganeti/fake-hypervisor"),
      up.map(({ name }) => `${name}`),
    ),
    ...differences(
      `${node.name}: exports under way`,
      below("lib/ganeti/export").filter((name) => name.endsWith(".new")),
      [],
    ),
    ...differences(`${node.name}: transfers`, below("run/ganeti/import-export"), []),
    ...differences(`${node.name}: certificates`, below("run/ganeti/crypto"), []),
  ];
}

const entries = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder) : [];

/** Folders of disks in files: all nodes share one file system. */
const fileFolders = (bench: ReferenceBench): readonly string[] =>
  entries(join(bench.directory, "nodes/file-storage")).filter(
    (name) => entries(join(bench.directory, "nodes/file-storage", name)).length > 0,
  );

const fileInstances = (now: Snapshot): readonly string[] =>
  Array.from(now.instances()).flatMap((one) =>
    !one.forthcoming && now.disksOf(one).some(({ dev_type }) => dev_type === "file")
      ? [one.name]
      : [],
  );

function differences(
  about: string,
  found: readonly string[],
  expected: readonly string[],
): readonly string[] {
  const over = found.filter((one) => !expected.includes(one));
  const lacking = expected.filter((one) => !found.includes(one));
  return [
    ...over.map((one) => `${about}: ${one} is left over`),
    ...lacking.map((one) => `${about}: ${one} is missing`),
  ];
}
