/** Calls about exports and transfers. */
import {
  type DiskOnNode,
  type ExportCalls,
  exportDirectory,
  type TransferEnd,
  type TransferOptions,
  type TransferStatus,
} from "@ganeti-ts/node-calls";
import { withoutNulls } from "@ganeti-ts/protocol";
import type { CallWires } from "./call-wire.js";
import {
  asList,
  asObject,
  asText,
  type Format,
  keyed,
  listOf,
  noArguments,
  nullable,
  positional,
  WireError,
} from "./format.js";
import { type IniSections, readIni, writeIni } from "./ini.js";
import { disk, instance, storedDisk } from "./objects.js";

const options = keyed<TransferOptions>(
  {
    compress: "compress",
    magic: "magic",
    keyName: "key_name",
    caPem: "ca_pem",
    ipv6: "ipv6",
    connectTimeoutSeconds: "connect_timeout",
  },
  { keyName: null, caPem: null, ipv6: false },
);

/** IPv4 is the default address family and omitted. */
const transferOptions: Format<TransferOptions> = {
  encode({ ipv6, ...rest }, context) {
    return options.encode({ ...rest, ...(ipv6 && { ipv6 }) } as TransferOptions, context);
  },
  decode: (json, context) => options.decode(json, context),
};

/** An absolute path below the export folder of the node; `toPort` converts it to the path in node-calls. */
const exportPath = (toPort: (below: string) => string): Format<string> => ({
  encode(value, { exportDirectory: folder }) {
    if (folder === undefined) return value;
    if (!value.startsWith("/")) return `${folder}/${value}`;
    const ours = `${exportDirectory}/`;
    return value.startsWith(ours) ? `${folder}/${value.slice(ours.length)}` : value;
  },
  decode(json, { exportDirectory: folder }) {
    const text = asText(json);
    const isBelow = folder !== undefined && text.startsWith(`${folder}/`);
    return isBelow ? toPort(text.slice(folder.length + 1)) : text;
  },
});

const fileOfExport = exportPath((below) => below);
const folderOfExport = exportPath((below) => `${exportDirectory}/${below}`);

/** The kind of the end, and the list of its arguments. */
const end: Format<TransferEnd> = {
  encode(value, context) {
    switch (value.kind) {
      case "file":
        return ["file", [fileOfExport.encode(value.path, context)]];
      case "raw-disk":
        return ["raw", [disk.encode(value.disk, context)]];
      case "script":
        return ["script", [disk.encode(value.disk, context), value.index]];
    }
  },
  decode(json, context) {
    const [kind, rest = []] = asList(json);
    const [first = null, index] = asList(rest);
    if (kind === "file") return { kind, path: fileOfExport.decode(first, context) };
    if (kind === "raw") return { kind: "raw-disk", disk: disk.decode(first, context) };
    if (kind !== "script") throw new WireError(`Invalid import/export I/O type ${String(kind)}`);
    return { kind, disk: disk.decode(first, context), index: index as number };
  },
};

const status = keyed<TransferStatus>(
  {
    listenPort: "listen_port",
    connected: "connected",
    progressMib: "progress_mbytes",
    throughputMibPerSecond: "progress_throughput",
    progressPercent: "progress_percent",
    etaSeconds: "progress_eta",
    exitStatus: "exit_status",
    errorMessage: "error_message",
    recentOutput: "recent_output",
    modifiedAt: "mtime",
  },
  {
    listenPort: null,
    connected: false,
    progressMib: 0,
    throughputMibPerSecond: null,
    progressPercent: null,
    etaSeconds: null,
    exitStatus: null,
    errorMessage: null,
  },
);

/** Figures that are not known yet are absent or null. */
const transferStatus: Format<TransferStatus> = {
  encode({ connected, progressMib, ...rest }, context) {
    const learned = { ...(connected && { connected }), ...(progressMib > 0 && { progressMib }) };
    return status.encode({ ...rest, ...learned } as TransferStatus, context);
  },
  decode: (json, context) => status.decode(withoutNulls(asObject(json)), context),
};

/** Content of the description file that a node stores with an export. */
const description: Format<IniSections> = {
  encode: (sections) => writeIni(sections),
  decode: (json) => readIni(asText(json)),
};

/** Disks without `dynamic_params`; false for a disk that was not copied. */
const copiedDisks = listOf<DiskOnNode | null>({
  encode: (copied, context) => (copied === null ? false : storedDisk.encode(copied, context)),
  decode: (json, context) =>
    json === false || json === null ? null : storedDisk.decode(json, context),
});

const given = ["options", transferOptions] as const;
const on = ["instance", instance] as const;
const at = ["end", end] as const;
const ofName = positional<{ name: string }>("name");

export const exportWires: CallWires<keyof ExportCalls> = {
  export_list: noArguments,
  export_info: { arguments: positional(["path", folderOfExport]), value: description },
  finalize_export: positional(on, ["disks", copiedDisks]),
  export_remove: ofName,
  import_start: positional(given, on, "component", at),
  export_start: positional(given, "host", "port", on, "component", at),
  impexp_status: { arguments: positional("names"), value: listOf(nullable(transferStatus)) },
  impexp_abort: ofName,
  impexp_cleanup: ofName,
  x509_cert_create: {
    arguments: positional("validitySeconds"),
    value: positional("name", "certPem"),
  },
  x509_cert_remove: ofName,
};
