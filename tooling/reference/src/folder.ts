// The folder of a bench before its first process: private system files, node folders, programs of the bench.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  fileStorageFolder,
  hostNames,
  insideNodes,
  programPath,
  type ReferenceNode,
  volumeGroup,
} from "./layout.js";
import type { Release } from "./release.js";

const programs = fileURLToPath(new URL("../python/", import.meta.url));
const helpers = "/usr/share/ganeti-reference";
const home = "/srv/home";

/** Program that makes the namespaces of a bench and ends it. */
export const keeperProgram = join(programs, "keeper.py");
/** Inside the bench: the relay to its addresses, and the proxy that records LUXI. */
export const relayProgram = `${helpers}/relay.py`;
/** Inside the bench: the way from an address of it to a program outside. */
export const doorwayProgram = `${helpers}/doorway.py`;
export const luxiProxyProgram = `${helpers}/luxi_proxy.py`;
/** Folders of a bench's folder and where they are bound inside it. */
export const binds = {
  [insideNodes]: "nodes",
  "/srv/reference": "shared",
  "/srv/ganeti": "definitions",
  [home]: "home",
} as const;
/** The same for the stand-ins of LVM and DRBD: their state, and the volumes, sparse files. */
export const storageBinds = {
  "/srv/devices": "devices",
  [`/dev/${volumeGroup}`]: `devices/${volumeGroup}`,
} as const;

/** Writes everything that a bench needs below `directory`, which must be empty. */
export function writeFolder(
  directory: string,
  nodes: readonly ReferenceNode[],
  storage: boolean,
  { name: release }: Release,
): void {
  for (const folder of Object.values(binds)) mkdirSync(join(directory, folder));
  mkdirSync(join(directory, "home/.ssh"), { mode: 0o700 });
  mkdirSync(join(directory, "devices", volumeGroup), { recursive: true });
  const layer = join(directory, "layer");
  writeSystemFiles(layer, nodes, release);
  writePrograms(layer, storage, release);
  writeOsDefinition(join(directory, "definitions/os/noop"));
  mkdirSync(join(directory, "nodes/file-storage"), { mode: 0o750 });
  for (const node of nodes) writeNode(node);
}

function writeSystemFiles(layer: string, nodes: readonly ReferenceNode[], release: string): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(layer, path)), { recursive: true });
    writeFileSync(join(layer, path), text);
  };
  const { passwd, group } = accounts(
    readFileSync("/etc/passwd", "utf8"),
    readFileSync("/etc/group", "utf8"),
  );
  put("etc/passwd", passwd);
  put("etc/group", group);
  const hosts = hostNames(nodes).map(([address, name]) => `${address} ${name}\n`);
  put("etc/hosts", ["127.0.0.1 localhost\n", ...hosts].join(""));
  put("etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n");
  put("etc/ssh/sshd_config", sshdConfig(nodes));
  mkdirSync(join(layer, "etc/ganeti"), { recursive: true });
  for (const kind of ["lib", "share"]) {
    symlinkSync(`/usr/${kind}/ganeti/${release}`, join(layer, "etc/ganeti", kind));
  }
}

/** Ganeti's users with their further groups; of its own group gnt-masterd must be a listed member too. */
const users: Readonly<Record<string, readonly string[]>> = {
  "gnt-confd": ["gnt-daemons"],
  "gnt-masterd": ["gnt-masterd", "gnt-admin", "gnt-confd", "gnt-daemons", "gnt-luxid"],
  "gnt-metad": ["gnt-daemons"],
  "gnt-rapi": ["gnt-admin", "gnt-daemons"],
};
const groups = [...Object.keys(users), "gnt-luxid", "gnt-daemons", "gnt-admin"];
const firstId = 64_800;

/** The machine's accounts with those of Ganeti and sshd added, and with another home for root. */
function accounts(
  machinePasswd: string,
  machineGroup: string,
): { readonly passwd: string; readonly group: string } {
  const own = [...groups, "sshd"];
  const foreign = (text: string) =>
    text.split("\n").filter((line) => line !== "" && !own.includes(line.split(":")[0] ?? ""));
  const idOf = (name: string) => firstId + own.indexOf(name);
  const members = (group: string) =>
    Object.keys(users).filter((user) => users[user]?.includes(group));
  const passwd = [
    ...foreign(machinePasswd).map((line) =>
      line.replace(/^(root(?::[^:]*){4}):[^:]*/, `$1:${home}`),
    ),
    ...[...Object.keys(users), "sshd"].map((name) => {
      return `${name}:x:${idOf(name)}:${idOf(name)}::/nonexistent:/usr/sbin/nologin`;
    }),
  ];
  const group = [
    ...foreign(machineGroup),
    ...own.map((name) => `${name}:x:${idOf(name)}:${members(name).join(",")}`),
  ];
  return { passwd: `${passwd.join("\n")}\n`, group: `${group.join("\n")}\n` };
}

function sshdConfig(nodes: readonly ReferenceNode[]): string {
  return [
    ...nodes.map(({ address }) => `ListenAddress ${address}:22`),
    "HostKey /etc/ssh/ssh_host_rsa_key",
    "PermitRootLogin prohibit-password",
    "PasswordAuthentication no",
    "UsePAM no",
    "StrictModes no",
    "MaxStartups 100",
    "PidFile none",
    `SetEnv PATH=${programPath}`,
    "Subsystem sftp internal-sftp",
    "",
  ].join("\n");
}

/** Puts the bench's own daemons at the place of the packaged ones, and its other programs into a folder. */
function writePrograms(layer: string, storage: boolean, release: string): void {
  const place = (name: string, target: string) => {
    const path = join(layer, target);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(programs, name), path);
    chmodSync(path, 0o755);
  };
  for (const name of ["ganeti-noded", "ganeti-rapi"]) {
    place(name, `usr/share/ganeti/${release}/${name}`);
  }
  for (const name of ["recorder.py", "recording.py", "relay.py", "doorway.py", "luxi_proxy.py"]) {
    place(name, join(helpers, name));
  }
  if (!storage) return;
  for (const name of ["storage.py", "storage_state.py", "lvm.py", "drbd.py"]) {
    place(name, join(helpers, name));
  }
  for (const name of storagePrograms) place("storage-program", join("usr/local/sbin", name));
}

/** Programs with a stand-in. Where they are found first: see `programPath`. */
const storagePrograms = [
  ...["lvs", "vgs", "pvs", "lvcreate", "lvremove", "lvrename", "lvchange", "lvextend", "pvchange"],
  ...["vgreduce", "drbdsetup", "drbdmeta", "drbd-status", "blockdev", "dd"],
];

/** An operating system whose scripts only report that they ran. */
function writeOsDefinition(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const put = (name: string, text: string, mode = 0o644) =>
    writeFileSync(join(folder, name), text, { mode });
  put("ganeti_api_version", "20\n15\n");
  put("variants.list", "default\nsecond\n");
  put("parameters.list", "my_param A parameter without effect\n");
  for (const script of ["create", "import", "export", "rename", "verify"]) {
    put(script, `#!/bin/sh\necho "noop ${script} of $INSTANCE_NAME"\n`, 0o755);
  }
}

function writeNode({ root, insideRoot, name, address }: ReferenceNode): void {
  for (const folder of [
    "etc/default",
    "etc/ganeti",
    "var/lock",
    "var/lib/ganeti",
    "var/log/ganeti",
    "var/run/ganeti",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const defaults = [
    `NODED_ARGS='--no-mlock -b ${address}'`,
    `RAPI_ARGS='-b ${address} --require-authentication'`,
    `CONFD_ARGS='-b ${address}'`,
    `MOND_ARGS='-b ${address}'`,
    `export GANETI_ROOTDIR='${insideRoot}'`,
    `export GANETI_HOSTNAME='${name}'`,
    "",
  ];
  writeFileSync(join(root, "etc/default/ganeti"), defaults.join("\n"));
  writeFileSync(join(root, "etc/ganeti/file-storage-paths"), `${fileStorageFolder}\n`);
}
