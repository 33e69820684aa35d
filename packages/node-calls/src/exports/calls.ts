/** Exports of instances: the stored ones, and the transfers that write and read them. */
import * as z from "zod";
import { call, Done, list, object, record } from "../call.js";
import { DiskOnNode } from "../objects/disk.js";
import { InstanceOnNode } from "../objects/instance.js";

/** One end of a transfer. */
export const TransferEnd = z.discriminatedUnion("kind", [
  /** A block device as it is. */
  object({ kind: z.literal("raw-disk"), disk: DiskOnNode }),
  /** A block device through the import or export script of the instance's OS. */
  object({ kind: z.literal("script"), disk: DiskOnNode, index: z.int() }),
  /** A file below the node's export directory. */
  object({ kind: z.literal("file"), path: z.string() }),
]);
export type TransferEnd = z.infer<typeof TransferEnd>;

/** Schema of the options that both ends of a transfer share. */
export const TransferOptions = object({
  compress: z.string(),
  /** Guards against connections to the wrong transfer. */
  magic: z.string(),
  /** A key made on the node, and the certificates to accept; null for both: those of the cluster. */
  keyName: z.string().nullable(),
  caPem: z.string().nullable(),
  /** Family of the address where the two ends meet. */
  ipv6: z.boolean(),
  connectTimeoutSeconds: z.number(),
});
export type TransferOptions = z.infer<typeof TransferOptions>;

const transfer = {
  instance: InstanceOnNode,
  /** The transferred part: `disk0`. */
  component: z.string(),
  end: TransferEnd,
  options: TransferOptions,
};

/** Schema of the state of a transfer. */
export const TransferStatus = object({
  /** Port of an import, once it listens. */
  listenPort: z.int().nullable(),
  connected: z.boolean(),
  progressMib: z.number(),
  throughputMibPerSecond: z.number().nullable(),
  progressPercent: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  /** Null as long as it runs; 0: success. */
  exitStatus: z.int().nullable(),
  errorMessage: z.string().nullable(),
  recentOutput: list(z.string()),
  /** When the node learned this, in seconds since the epoch. */
  modifiedAt: z.number().nullish(),
});
export type TransferStatus = z.infer<typeof TransferStatus>;

/** The sections of an export's description, as strings: `export`, `instance`, `backend`, … */
export const ExportDescription = record(record(z.string()));
export type ExportDescription = z.infer<typeof ExportDescription>;

const ofName = { name: z.string() };

export const exportCalls = {
  /** Names of the exports on the node. */
  export_list: call("fast", "looks", list(z.string())),
  /** `path` is absolute, or a name under the export directory. */
  export_info: call("fast", "looks", ExportDescription, { path: z.string() }),
  export_remove: call("fast", "same", Done, ofName),
  /**
   * Puts the transferred files of this instance in the place of its earlier export, with a description that the
   * node makes of these arguments. A disk is null if it was not copied.
   */
  finalize_export: call("normal", "same", Done, {
    instance: InstanceOnNode,
    disks: list(DiskOnNode.nullable()),
  }),
  /** The name of the transfer, for the calls below. */
  import_start: call("normal", "again", z.string(), transfer),
  export_start: call("normal", "again", z.string(), {
    ...transfer,
    host: z.string(),
    port: z.int(),
  }),
  /** Null for unknown names. */
  impexp_status: call("fast", "looks", list(TransferStatus.nullable()), {
    names: list(z.string()),
  }),
  impexp_abort: call("normal", "same", Done, ofName),
  impexp_cleanup: call("normal", "same", Done, ofName),
  /** A new key with its certificate, at most for seven days. */
  x509_cert_create: call("normal", "again", object({ name: z.string(), certPem: z.string() }), {
    validitySeconds: z.int(),
  }),
  x509_cert_remove: call("normal", "same", Done, ofName),
};
