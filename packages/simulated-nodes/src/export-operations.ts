/** Calls about exports, and the transfers that make and read them. */
import type { DiskOnNode, ExportCalls, TransferStatus } from "@ganeti-ts/node-calls";
import { exportDescription, keyDirectory } from "@ganeti-ts/node-calls";
import { certificate, partsOfCertificate } from "./certificates.js";
import { imageOf, writeImage } from "./contents.js";
import { digest } from "./digest.js";
import { kindOf } from "./disk-operations.js";
import { fileSystemFree } from "./file-disk.js";
import type { HostState, TransferState } from "./node-state.js";
import { type CallsOnHost, NodeFault, type Site } from "./site.js";

export const exportOperations: CallsOnHost<keyof ExportCalls> = {
  export_list: ({ host }) =>
    [...Object.keys(host.exports), ...Object.keys(host.exportsUnderWay).map(folderUnderWay)].sort(),
  export_info({ host }, { path }) {
    const there = host.exports[nameOf(path)];
    if (there === undefined)
      throw new NodeFault("Export info file doesn't have the required fields");
    return JSON.parse(JSON.stringify(there.description));
  },
  export_remove({ host }, { name }) {
    delete host.exports[name];
    for (const instance of Object.keys(host.exportsUnderWay)) {
      if (folderUnderWay(instance) === name) delete host.exportsUnderWay[instance];
    }
    return null;
  },
  finalize_export({ host, nowMicros }, { instance, disks }) {
    const files = host.exportsUnderWay[instance.name];
    // A repetition: the export was finalized before.
    if (files === undefined && host.exports[instance.name] !== undefined) return null;
    host.exports[instance.name] = {
      description: exportDescription(instance, disks, nowMicros / 1e6),
      files: files ?? {},
    };
    delete host.exportsUnderWay[instance.name];
    return null;
  },

  import_start(site, { instance, component, end, options }) {
    const { host } = site;
    const { name, transfer } = newTransfer(site, "import", { instance, component, end, options });
    transfer.listenPort = 5000 + (host.transferCount % 50000);
    return name;
  },
  export_start(site, { instance, component, end, options, host: address, port }) {
    const listening = site.hostAt(address);
    const [peerName, peer] =
      Object.entries(listening?.transfers ?? {}).find(
        ([, { listenPort, aborted }]) => listenPort === port && !aborted,
      ) ?? [];
    if (!listening?.powered || peerName === undefined || peer === undefined) {
      throw new NodeFault(`Can't connect to ${address}:${port}`);
    }
    const { name, transfer } = newTransfer(site, "export", { instance, component, end, options });
    if (peer.magic !== options.magic || !trust(transfer, peer) || !trust(peer, transfer)) {
      transfer.aborted = true;
      return name;
    }
    transfer.peer = { host: listening.name, transfer: peerName };
    if (transfer.image !== undefined) peer.image = transfer.image;
    peer.peer = { host: site.host.name, transfer: name };
    peer.startedMicros = site.nowMicros;
    peer.sizeMib = transfer.sizeMib;
    peer.isTooSmall =
      (peer.file === null ? peer.roomMib : fileSystemFree(listening)) < transfer.sizeMib;
    if (peer.isTooSmall) {
      peer.aborted = true;
      transfer.aborted = true;
    } else if (peer.file !== null) {
      fileUnderWay(listening, peer.instance, peer.file, transfer.sizeMib);
    }
    site.touch(listening);
    return name;
  },
  impexp_status: (site, { names }) =>
    names.map((name) => {
      const transfer = site.host.transfers[name];
      return transfer === undefined ? null : statusOf(site, transfer);
    }),
  impexp_abort({ host }, { name }) {
    const transfer = host.transfers[name];
    if (transfer) transfer.aborted = true;
    return null;
  },
  impexp_cleanup({ host }, { name }) {
    delete host.transfers[name];
    return null;
  },
  x509_cert_create({ host, seed, nowMicros }, { validitySeconds }) {
    // A count of its own, because the node's certificate digest depends on the other one.
    const name = digest(`transfer ${seed} ${host.name} ${++host.transferCount}`);
    host.certificates.push(name);
    const untilSeconds = Math.trunc(nowMicros / 1e6) + validitySeconds;
    return { name, certPem: certificate(name, untilSeconds) };
  },
  x509_cert_remove({ host }, { name }) {
    host.certificates = host.certificates.filter((known) => known !== name);
    return null;
  },
};

/** Folder of an export until it is finalized. */
const folderUnderWay = (instance: string): string => `${instance}.new`;

/** The folder of an export, which a real node has below its export directory. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function fileUnderWay(host: HostState, instance: string, file: string, sizeMib: number): void {
  const files = host.exportsUnderWay[instance] ?? {};
  host.exportsUnderWay[instance] = files;
  files[file] = sizeMib;
}

/** Whether one end accepts the other's certificate. */
const trust = ({ caPem }: TransferState, { keyName }: TransferState): boolean =>
  (partsOfCertificate(caPem ?? "")?.[0] ?? null) === keyName;

function newTransfer(
  site: Site,
  direction: TransferState["direction"],
  { instance, component, end, options }: ExportCalls["import_start"]["arguments"],
): { name: string; transfer: TransferState } {
  const { host, nowMicros } = site;
  const { keyName, caPem, magic } = options;
  if ((keyName === null) !== (caPem === null)) {
    throw new NodeFault("Cluster certificate can only be used for both key and CA");
  }
  if (keyName !== null && !host.certificates.includes(keyName)) {
    throw new NodeFault(`File '${keyDirectory}/${keyName}/key' does not exist`);
  }
  const name = `${direction}-${component}-${++host.transferCount}`;
  const sizeMib = end.kind === "file" ? dumpSize(host, end.path) : deviceSize(site, end.disk);
  const isDump = direction === "export" || end.kind !== "file";
  if (isDump && sizeMib === undefined) {
    const what = end.kind === "file" ? end.path : kindOf(end.disk).path(site, end.disk);
    throw new NodeFault(
      end.kind === "file"
        ? `File '${what}' does not exist`
        : `Block device '${what}' is not set up`,
    );
  }
  const transfer: TransferState = {
    direction,
    component,
    instance: instance.name,
    magic,
    keyName,
    caPem,
    listenPort: null,
    peer: null,
    startedMicros: nowMicros,
    aborted: false,
    file: end.kind === "file" ? nameOf(end.path) : null,
    sizeMib: sizeMib ?? 0,
    roomMib: sizeMib ?? 0,
    isTooSmall: false,
  };
  if (end.kind !== "file") {
    if (direction === "import") transfer.disk = end.disk;
    else transfer.image = imageOf(site, end.disk);
  }
  host.transfers[name] = transfer;
  return { name, transfer };
}

const dumpSize = (host: HostState, path: string): number | undefined =>
  host.exports[exportOf(path)]?.files[nameOf(path)];

const deviceSize = (site: Site, disk: DiskOnNode): number | undefined =>
  kindOf(disk).dimensions(site, disk)?.sizeMib;

/** The export folder of a file. */
const exportOf = (path: string): string => nameOf(path.slice(0, path.lastIndexOf("/")));

function statusOf(site: Site, transfer: TransferState): TransferStatus {
  const connected = transfer.peer !== null;
  const peerHost = transfer.peer && site.hostAt(transfer.peer.host);
  const peer = peerHost?.transfers[transfer.peer?.transfer ?? ""];
  const seconds = Math.max(0, site.nowMicros - transfer.startedMicros) / 1e6;
  const { copySpeed } = site.durations;
  const copied =
    copySpeed === Infinity ? transfer.sizeMib : Math.min(transfer.sizeMib, seconds * copySpeed);
  const progressMib = connected ? Math.floor(copied) : 0;
  const complete = connected && copied >= transfer.sizeMib;
  const aborted = transfer.aborted || (!complete && peer?.aborted === true);
  const lost = connected && !complete && peerHost?.powered !== true;
  if (complete && !aborted && transfer.disk !== undefined) {
    writeImage(site, transfer.disk, transfer.image);
  }
  return {
    listenPort: transfer.listenPort,
    connected,
    progressMib,
    throughputMibPerSecond: connected && copySpeed !== Infinity ? copySpeed : null,
    progressPercent: connected ? Math.floor((copied / Math.max(1, transfer.sizeMib)) * 100) : null,
    etaSeconds: connected ? Math.ceil((transfer.sizeMib - copied) / copySpeed) : null,
    exitStatus: aborted || lost ? 1 : complete ? 0 : null,
    errorMessage: aborted || lost ? "Exited with status 1" : null,
    recentOutput: transfer.isTooSmall
      ? ["No space left on device"]
      : lost
        ? ["Connection lost"]
        : [],
  };
}
