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

type IniSections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Each section ends with an empty line; further lines of a value are indented. */
const writeIni = (sections: IniSections): string =>
  Object.entries(sections)
    .map(([section, values]) => {
      const lines = Object.entries(values).map(
        ([name, value]) => `${name} = ${value.replaceAll("\n", "\n\t")}\n`,
      );
      return `[${section}]\n${lines.join("")}\n`;
    })
    .join("");

/**
 * Parses the text. Names are converted to lower case, and values are not interpolated (`%(name)s`). O(text).
 * @throws WireError for lines outside a section, without `=` or `:`, and for duplicate sections or names
 */
function readIni(text: string): IniSections {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  let name: string | undefined;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "" || /^[#;]/.test(trimmed)) {
      if (trimmed === "" && name !== undefined) append(section, name, "");
    } else if (/^\s/.test(line) && name !== undefined) {
      append(section, name, trimmed);
    } else if (/^\[[^\]]+\]/.test(trimmed)) {
      section = begun(sections, trimmed.slice(1, trimmed.indexOf("]")));
      name = undefined;
    } else {
      name = entered(section, trimmed);
    }
  }
  return Object.fromEntries(
    [...sections].map(([title, values]) => [title, Object.fromEntries(withoutEnds(values))]),
  );
}

function begun(sections: Map<string, Map<string, string>>, title: string): Map<string, string> {
  if (sections.has(title)) throw new WireError(`section '${title}' is there twice`);
  const section = new Map<string, string>();
  sections.set(title, section);
  return section;
}

/** Adds the name and value of a line to the section; returns the name. */
function entered(section: Map<string, string> | undefined, line: string): string {
  if (section === undefined) throw new WireError(`'${line}' stands outside a section`);
  const at = line.search(/[=:]/);
  if (at <= 0) throw new WireError(`'${line}' is not a name with a value`);
  const name = line.slice(0, at).trimEnd().toLowerCase();
  if (section.has(name)) throw new WireError(`'${name}' is there twice`);
  section.set(name, line.slice(at + 1).trimStart());
  return name;
}

function append(section: Map<string, string> | undefined, name: string, line: string): void {
  section?.set(name, `${section.get(name)}\n${line}`);
}

/** Values without trailing empty lines, which are not part of them. */
const withoutEnds = (values: Map<string, string>): [string, string][] =>
  [...values].map(([name, value]) => [name, value.trimEnd()]);
