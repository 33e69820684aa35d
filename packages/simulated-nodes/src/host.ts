/** Specification of a simulated node, and its initial state. */
import type { ExtStorageDefinition, OsDefinition } from "@ganeti-ts/node-calls";
import { changeMirror } from "./mirror.js";
import type { HostState } from "./node-state.js";
import { changeVolume } from "./volume-group.js";

/** Specification of a simulated machine; absent values have defaults. */
export interface HostSpecification {
  /** Its host name: that of the node. */
  readonly name: string;
  readonly memoryTotalMib?: number;
  readonly memoryNodeMib?: number;
  /** Share of their memory that instances have touched: the rest counts as free, as with QEMU. Default 1. */
  readonly touchedShare?: number;
  readonly cpuTotal?: number;
  readonly cpuNode?: number;
  /** Physical volumes of each volume group, with their sizes in MiB. */
  readonly volumeGroups?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Size (MiB) of the file system for disks in files and exports. */
  readonly fileSystemMib?: number;
  readonly bridges?: readonly string[];
  readonly operatingSystems?: readonly OsDefinition[];
  readonly extStorage?: readonly ExtStorageDefinition[];
  /** Block devices to adopt; MiB by path. */
  readonly devices?: Readonly<Record<string, number>>;
  /**
   * Contents by path. A file `runs for 30 s` is the image of a machine that stops by itself 30
   * seconds after it was started from a volume with it; machines with other images do not stop.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Version of the DRBD driver; default `8.4.11`. */
  readonly drbdVersion?: string;
  /** SHA-1 of its client certificate, until it gets a new one (`9A:6C:…`); default: a text that depends on its name. */
  readonly certificateDigest?: string;
  /** Commands that may be run on the node, with their output; allocators as `iallocator NAME`. */
  readonly commands?: Readonly<Record<string, string>>;
}

/** An OS without scripts: installing it does nothing. */
export const noopOs: OsDefinition = {
  name: "noop",
  path: "/srv/ganeti/os/noop",
  valid: true,
  fault: "",
  variants: ["default"],
  parameters: [],
  apiVersions: [20],
  trusted: true,
};

const installable = (name: string, variants: readonly string[]): OsDefinition => ({
  ...noopOs,
  name,
  variants,
  path: `/srv/ganeti/os/${name}`,
  parameters: [
    ["mirror", "Package mirror to install from"],
    ["extra_packages", "Further packages to install, separated by commas"],
  ],
});

/**
 * Default operating systems of a node: one without parameters and two with variants and parameters.
 */
export const simulatedSystems: readonly OsDefinition[] = [
  installable("debian", ["stable", "testing", "minimal"]),
  noopOs,
  installable("ubuntu", ["lts", "minimal"]),
];

/** Initial state of the node. */
export const newHost = (specification: HostSpecification): HostState => ({
  name: specification.name,
  powered: true,
  boots: 1,
  memoryTotalMib: specification.memoryTotalMib ?? 32768,
  memoryNodeMib: specification.memoryNodeMib ?? 1024,
  ...(specification.touchedShare === undefined ? {} : { touchedShare: specification.touchedShare }),
  cpuTotal: specification.cpuTotal ?? 8,
  cpuNode: specification.cpuNode ?? 1,
  cpuNodes: 1,
  cpuSockets: 1,
  volumeGroups: Object.fromEntries(
    Object.entries(specification.volumeGroups ?? { xenvg: { "/dev/sda3": 512000 } }).map(
      ([name, volumes]) => [
        name,
        {
          physicalVolumes: Object.fromEntries(
            Object.entries(volumes).map(([volume, sizeMib]) => [
              volume,
              { sizeMib, allocatable: true, missing: false },
            ]),
          ),
          volumes: {},
        },
      ],
    ),
  ),
  fileSystem: {
    sizeMib: specification.fileSystemMib ?? 262144,
    usedMib: 0,
    directories: [],
    disks: {},
  },
  devices: { ...specification.devices },
  drbdHelper: "/bin/true",
  drbdVersion: specification.drbdVersion ?? "8.4.11",
  drbd: {},
  instances: {},
  migrations: {},
  operatingSystems: [...(specification.operatingSystems ?? simulatedSystems)],
  extStorage: [...(specification.extStorage ?? [])],
  bridges: [...(specification.bridges ?? ["xen-br0"])],
  addresses: [],
  exports: {},
  exportsUnderWay: {},
  transfers: {},
  transferCount: 0,
  files: { ...specification.files },
  hosts: {},
  stoppedDaemons: [],
  commands: { ...specification.commands },
  watcherPause: null,
  sshKeys: [],
  sshKeyCount: 1,
  certificateCount: 1,
  ...(specification.certificateDigest && { certificateDigest: specification.certificateDigest }),
  certificates: [],
  fenced: [],
  syncSlowness: 1,
});

/** Removes everything that does not survive a boot: instances, devices, transfers. */
export function boot(host: HostState): void {
  host.powered = true;
  host.boots++;
  host.instances = {};
  host.migrations = {};
  host.transfers = {};
  host.addresses = [];
  host.stoppedDaemons = [];
  for (const side of Object.values(host.drbd)) {
    changeMirror(side, { up: false, primary: false, connects: false, syncingSince: null });
  }
  for (const [group, { volumes }] of Object.entries(host.volumeGroups)) {
    for (const name in volumes) changeVolume(host, [group, name], { open: false });
  }
}
