/** Calls about exports, and the transfers that make and read them. */
import type { ExportCalls, TransferEnd, TransferStatus } from "@ganeti-ts/node-calls";
import { dataDirectory, exportDescription, keyDirectory } from "@ganeti-ts/node-calls";
import { certificate, partsOfCertificate, refusalOf } from "./certificates.js";
import { digest } from "./digest.js";
import { directoryOf } from "./directories.js";
import { kindOf } from "./disk-operations.js";
import { fileSystemFree } from "./file-disk.js";
import type { HostState, TransferState } from "./node-state.js";
import { structuredCopy } from "./os-operations.js";
import { type CallsOnHost, NodeFault, type Site } from "./site.js";

export const exportOperations: CallsOnHost<keyof ExportCalls> = {
  export_list: ({ host }) =>
    [...Object.keys(host.exports), ...Object.keys(host.exportsUnderWay).map(folderUnderWay)].sort(),
  export_info({ host }, { path }) {
    const there = host.exports[nameOf(path)];
    if (there === undefined)
      throw new NodeFault("Export info file doesn't have the required fields");
    return structuredCopy(there.description);
  },
  export_remove({ host }, { name }) {
    delete host.exports[name];
    for (const instance of Object.keys(host.exportsUnderWay)) {
      if (folderUnderWay(instance) === name) forgetUnderWay(host, instance);
    }
  },
  finalize_export({ host, nowMicros }, { instance, disks }) {
    const files = host.exportsUnderWay[instance.name];
    // A repetition: the export was finalized before.
    if (files === undefined && host.exports[instance.name] !== undefined) return;
    if (files === undefined) {
      throw new NodeFault(`There is no export of ${instance.name} to finish`);
    }
    host.exports[instance.name] = {
      description: exportDescription(instance, disks, nowMicros / 1e6),
      files,
      images: host.imagesUnderWay?.[instance.name],
    };
    forgetUnderWay(host, instance.name);
  },

  import_start(site, args) {
    const { name, transfer } = newTransfer(site, "import", args);
    transfer.listenPort = 5000 + (site.host.transferCount % 50000);
    return name;
  },
  export_start(site, args) {
    const { host: address, port } = args;
    const listening = site.hostAt(address);
    const [peerName, peer] =
      Object.entries(listening?.transfers ?? {}).find(
        ([, { listenPort, aborted }]) => listenPort === port && !aborted,
      ) ?? [];
    if (!listening?.powered || peerName === undefined || peer === undefined) {
      throw new NodeFault(`Can't connect to ${address}:${port}`);
    }
    const { name, transfer } = newTransfer(site, "export", args);
    const refusal = refusalAtStart(site, transfer, listening, peer);
    if (refusal !== undefined) {
      fail(transfer, refusal.sender);
      if (refusal.receiver !== undefined) fail(peer, refusal.receiver);
      site.touch(listening);
      return name;
    }
    transfer.peer = { host: listening.name, transfer: peerName };
    peer.image = transfer.image;
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
  },
  impexp_cleanup({ host }, { name }) {
    delete host.transfers[name];
  },
  x509_cert_create({ host, seed, nowMicros }, { validitySeconds }) {
    // A count of its own, because the node's certificate digest depends on the other one.
    const keyName = digest(`transfer ${seed} ${host.name} ${++host.transferCount}`);
    const untilSeconds = Math.trunc(nowMicros / 1e6) + validitySeconds;
    const certPem = certificate({ keyName, commonName: host.name, untilSeconds });
    host.certificates.push(certPem);
    return { name: keyName, certPem };
  },
  x509_cert_remove({ host }, { name }) {
    host.certificates = host.certificates.filter((one) => one !== certificateOf(host, name));
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
  setImage(host, instance, file, undefined);
}

function setImage(
  host: HostState,
  instance: string,
  file: string,
  image: string | undefined,
): void {
  host.imagesUnderWay ??= {};
  host.imagesUnderWay[instance] = { ...host.imagesUnderWay[instance], [file]: image };
}

function forgetUnderWay(host: HostState, instance: string): void {
  delete host.exportsUnderWay[instance];
  delete host.imagesUnderWay?.[instance];
}

/** The certificate of a key that was made on the host. */
const certificateOf = ({ certificates }: HostState, keyName: string): string | undefined =>
  certificates.find((certPem) => partsOfCertificate(certPem)?.keyName === keyName);

const clusterCertificate = ({ files }: HostState): string =>
  files[`${dataDirectory}/server.pem`] ?? "";

/** Output of both ends that do not come together; undefined for a receiver that goes on listening. */
interface Refusal {
  readonly sender: string;
  readonly receiver?: string;
}

/** Both ends verify each other's certificate; then the receiver compares the magic values. */
function refusalAtStart(
  { host, nowMicros }: Site,
  sender: TransferState,
  listening: HostState,
  receiver: TransferState,
): Refusal | undefined {
  const accepted = (on: HostState, { caPem }: TransferState) => caPem ?? clusterCertificate(on);
  const shown = (on: HostState, { keyName }: TransferState) =>
    keyName === null ? clusterCertificate(on) : (certificateOf(on, keyName) ?? "");
  const bySender = refusalOf(accepted(host, sender), shown(listening, receiver), nowMicros);
  if (bySender !== undefined) return { sender: bySender, receiver: "unexpected end of file" };
  const byReceiver = refusalOf(accepted(listening, receiver), shown(host, sender), nowMicros);
  if (byReceiver !== undefined) return { sender: "tlsv1 alert unknown ca" };
  if (sender.magic === receiver.magic) return undefined;
  return { sender: "Broken pipe", receiver: "Magic value mismatch" };
}

function fail(transfer: TransferState, text: string): void {
  transfer.aborted = true;
  transfer.refusal = text;
}

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
  if (keyName !== null && certificateOf(host, keyName) === undefined) {
    throw new NodeFault(`File '${keyDirectory}/${keyName}/key' does not exist`);
  }
  const name = `${direction}-${component}-${++host.transferCount}`;
  const isNewFile = direction === "import" && end.kind === "file";
  const { sizeMib, image } = isNewFile ? { sizeMib: 0 } : contentOf(site, end);
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
    ...(end.kind === "file" ? { file: nameOf(end.path) } : { file: null, disk: end.disk }),
    sizeMib,
    image,
    roomMib: sizeMib,
    isTooSmall: false,
  };
  host.transfers[name] = transfer;
  return { name, transfer };
}

interface Content {
  readonly sizeMib: number;
  readonly image?: string | undefined;
}

/** Content of a file of a finished export, or of a device. @throws NodeFault */
function contentOf(site: Site, end: TransferEnd): Content {
  if (end.kind !== "file") {
    const kind = kindOf(end.disk);
    const there = kind.dimensions(site, end.disk);
    if (there !== undefined) return { ...there, image: kind.image(site, end.disk) };
    throw new NodeFault(`Block device '${kind.path(site, end.disk)}' is not set up`);
  }
  const { path } = end;
  const file = nameOf(path);
  const { files, images } = site.host.exports[nameOf(directoryOf(path))] ?? {};
  const sizeMib = files?.[file];
  if (sizeMib === undefined) throw new NodeFault(`File '${path}' does not exist`);
  return { sizeMib, image: images?.[file] };
}

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
  if (complete && !aborted) writeReceived(site, transfer);
  return {
    listenPort: transfer.listenPort,
    connected,
    progressMib,
    throughputMibPerSecond: connected && copySpeed !== Infinity ? copySpeed : null,
    progressPercent: connected ? Math.floor((copied / Math.max(1, transfer.sizeMib)) * 100) : null,
    etaSeconds: connected ? Math.ceil((transfer.sizeMib - copied) / copySpeed) : null,
    exitStatus: aborted || lost ? 1 : complete ? 0 : null,
    errorMessage: aborted || lost ? "Exited with status 1" : null,
    recentOutput: transfer.refusal
      ? [transfer.refusal]
      : transfer.isTooSmall
        ? ["No space left on device"]
        : lost
          ? ["Connection lost"]
          : [],
  };
}

/** Writes what has arrived, once, to the receiving end. */
function writeReceived(site: Site, transfer: TransferState): void {
  const { direction, disk, instance, file, image } = transfer;
  if (direction === "export" || transfer.isWritten) return;
  transfer.isWritten = true;
  if (disk !== undefined) kindOf(disk).write(site, disk, image);
  else if (file !== null) setImage(site.host, instance, file, image);
  // Questions about transfers are not saved otherwise.
  site.touch(site.host);
}
