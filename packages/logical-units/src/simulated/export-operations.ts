/** Calls about exports, and the transfers that make and read them. */
import type { ExportCalls, TransferEnd, TransferStatus } from "../nodes/export-calls.js";
import { digest } from "./digest.js";
import { kindOf } from "./disk-operations.js";
import { fileSystemFree } from "./file-disk.js";
import type { HostState, TransferState } from "./node-state.js";
import { type CallsOnHost, NodeFault, type Site } from "./site.js";

const exportDirectory = "/srv/ganeti/export";

export const exportOperations: CallsOnHost<keyof ExportCalls> = {
  export_list: ({ host }) => Object.keys(host.exports).sort(),
  export_info({ host }, { path }) {
    const there = host.exports[nameOf(path)];
    if (there === undefined)
      throw new NodeFault("Export info file doesn't have the required fields");
    return JSON.parse(JSON.stringify(there.description));
  },
  export_remove({ host }, { name }) {
    delete host.exports[name];
    return null;
  },
  finalize_export({ host }, { instance, description }) {
    const files = host.exportsUnderWay[instance.name];
    // Without anything under way this has been done before.
    if (files === undefined && host.exports[instance.name] !== undefined) return null;
    host.exports[instance.name] = {
      description: JSON.parse(JSON.stringify(description)),
      files: files ?? {},
    };
    delete host.exportsUnderWay[instance.name];
    return null;
  },

  import_start(site, { instance, component, end, options }) {
    const { host } = site;
    const { name, transfer } = newTransfer(site, "import", instance.name, component, end);
    transfer.magic = options.magic;
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
    const { name, transfer } = newTransfer(site, "export", instance.name, component, end);
    transfer.magic = options.magic;
    if (peer.magic !== options.magic) {
      transfer.aborted = true;
      return name;
    }
    transfer.peer = { host: listening.name, transfer: peerName };
    peer.peer = { host: site.host.name, transfer: name };
    peer.startedMicros = site.nowMicros;
    peer.sizeMib = transfer.sizeMib;
    if (peer.file !== null) {
      if (fileSystemFree(listening) < transfer.sizeMib) peer.aborted = true;
      else fileUnderWay(listening, peer.instance, peer.file, transfer.sizeMib);
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
  x509_cert_create({ host, seed }) {
    const name = digest(`${seed} ${host.name} ${++host.certificateCount}`);
    host.certificates.push(name);
    return { name, certPem: `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n` };
  },
  x509_cert_remove({ host }, { name }) {
    host.certificates = host.certificates.filter((known) => known !== name);
    return null;
  },
};

/** Under the export directory, or named as it is. */
const nameOf = (path: string): string =>
  path.startsWith(`${exportDirectory}/`) ? path.slice(exportDirectory.length + 1) : path;

function fileUnderWay(host: HostState, instance: string, file: string, sizeMib: number): void {
  const files = host.exportsUnderWay[instance] ?? {};
  host.exportsUnderWay[instance] = files;
  files[file] = sizeMib;
}

function newTransfer(
  site: Site,
  direction: TransferState["direction"],
  instance: string,
  component: string,
  end: TransferEnd,
): { name: string; transfer: TransferState } {
  const { host, nowMicros } = site;
  const name = `${direction}-${component}-${++host.transferCount}`;
  const transfer: TransferState = {
    ...{ direction, component, instance, magic: "", listenPort: null, peer: null },
    file: null,
    sizeMib: 0,
    startedMicros: nowMicros,
    aborted: false,
  };
  if (end.kind === "file") {
    transfer.file = end.path.slice(end.path.lastIndexOf("/") + 1);
    transfer.sizeMib = host.exports[exportOf(end.path)]?.files[transfer.file] ?? 0;
  } else {
    const dimensions = kindOf(end.disk).dimensions(site, end.disk);
    if (dimensions === undefined) {
      throw new NodeFault(`Block device '${kindOf(end.disk).path(site, end.disk)}' is not set up`);
    }
    transfer.sizeMib = dimensions.sizeMib;
  }
  host.transfers[name] = transfer;
  return { name, transfer };
}

/** The folder that a file of an export is in. */
const exportOf = (path: string): string => nameOf(path).split("/", 1)[0] ?? "";

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
  return {
    listenPort: transfer.listenPort,
    connected,
    progressMib,
    throughputMibPerSecond: connected && copySpeed !== Infinity ? copySpeed : null,
    progressPercent: connected ? Math.floor((copied / Math.max(1, transfer.sizeMib)) * 100) : null,
    etaSeconds: connected ? Math.ceil((transfer.sizeMib - copied) / copySpeed) : null,
    exitStatus: aborted || lost ? 1 : complete ? 0 : null,
    errorMessage: aborted ? "Transfer was aborted" : lost ? "Connection lost" : null,
    recentOutput: [],
  };
}
