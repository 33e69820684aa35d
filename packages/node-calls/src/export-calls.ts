/** Exports of instances: what is stored, and the transfers that make and read them. */
import type { Call, Done, Nothing } from "./call.js";
import type { DiskOnNode, InstanceOnNode } from "./objects.js";

/** One end of a transfer. */
export type TransferEnd =
  /** A block device as it is. */
  | { readonly kind: "raw-disk"; readonly disk: DiskOnNode }
  /** A block device through the import or export script of the instance's OS. */
  | { readonly kind: "script"; readonly disk: DiskOnNode; readonly index: number }
  /** A file under the node's export directory. */
  | { readonly kind: "file"; readonly path: string };

interface OfTransfer {
  readonly instance: InstanceOnNode;
  /** What is transferred: `disk0`. */
  readonly component: string;
  readonly end: TransferEnd;
  readonly options: {
    readonly compress: string;
    /** Guards against connections to the wrong transfer. */
    readonly magic: string;
    /** A key made on the node, and the certificates to accept; both or none: those of the cluster. */
    readonly keyName: string | null;
    readonly caPem: string | null;
    /** Of the address that the two ends meet at. */
    readonly ipv6: boolean;
    readonly connectTimeoutSeconds: number;
  };
}

export interface TransferStatus {
  /** Where an import listens, once it does. */
  readonly listenPort: number | null;
  readonly connected: boolean;
  readonly progressMib: number;
  readonly throughputMibPerSecond: number | null;
  readonly progressPercent: number | null;
  readonly etaSeconds: number | null;
  /** Null as long as it runs; 0: all went well. */
  readonly exitStatus: number | null;
  readonly errorMessage: string | null;
  readonly recentOutput: readonly string[];
}

/** The sections of an export's description, as strings: `export`, `instance`, `backend`, … */
export interface ExportDescription {
  readonly [section: string]: { readonly [key: string]: string };
}

export interface ExportCalls {
  /** Names of the exports on the node. */
  readonly export_list: Call<Nothing, readonly string[]>;
  /** `path` is absolute, or a name under the export directory. */
  readonly export_info: Call<{ readonly path: string }, ExportDescription>;
  readonly export_remove: Call<{ readonly name: string }, Done>;
  /** Puts what was transferred for this instance in the place of its earlier export. */
  readonly finalize_export: Call<
    {
      readonly instance: InstanceOnNode;
      readonly disks: readonly (DiskOnNode | null)[];
      readonly description: ExportDescription;
    },
    Done
  >;
  /** The name of the transfer, to ask for. */
  readonly import_start: Call<OfTransfer, string>;
  readonly export_start: Call<
    OfTransfer & { readonly host: string; readonly port: number },
    string
  >;
  /** Null for unknown names. */
  readonly impexp_status: Call<
    { readonly names: readonly string[] },
    readonly (TransferStatus | null)[]
  >;
  readonly impexp_abort: Call<{ readonly name: string }, Done>;
  readonly impexp_cleanup: Call<{ readonly name: string }, Done>;
  readonly x509_cert_create: Call<
    { readonly validitySeconds: number },
    { readonly name: string; readonly certPem: string }
  >;
  readonly x509_cert_remove: Call<{ readonly name: string }, Done>;
  /** What is wrong with a certificate: it is none, or does not count, for instance any more. */
  readonly x509_cert_check: Call<
    { readonly certPem: string },
    { readonly kind: "unreadable" | "invalid"; readonly text: string } | null
  >;
}
