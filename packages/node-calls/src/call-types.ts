/** TypeScript types of the calls, as they follow from the schemas of the catalog. */
import type * as z from "zod";
import type { CatalogEntry } from "./call.js";
import type { diskCalls } from "./disks/calls.js";
import type { exportCalls } from "./exports/calls.js";
import type { figureCalls } from "./figures/calls.js";
import type { instanceCalls } from "./instances/calls.js";
import type { osCalls } from "./os/calls.js";
import type { queueCalls } from "./queue/calls.js";
import type { setupCalls } from "./setup/calls.js";
import type { storageCalls } from "./storage/calls.js";

/** Arguments and value of each call of a group. */
type CallsOf<Entries extends Readonly<Record<string, CatalogEntry>>> = {
  readonly [Name in keyof Entries]: {
    readonly arguments: z.infer<Entries[Name]["arguments"]>;
    readonly value: z.infer<Entries[Name]["value"]>;
  };
};

/** Calls about figures: memory, disks, processors, verification. */
export interface FigureCalls extends CallsOf<typeof figureCalls> {}
/** Calls about instances: start, stop, migration, consoles. */
export interface InstanceCalls extends CallsOf<typeof instanceCalls> {}
/** Calls about disks: creation, assembly, mirrors. */
export interface DiskCalls extends CallsOf<typeof diskCalls> {}
/** Calls about operating systems and their scripts. */
export interface OsCalls extends CallsOf<typeof osCalls> {}
/** Calls about storage units. */
export interface StorageCalls extends CallsOf<typeof storageCalls> {}
/** Calls about exports and transfers of disks. */
export interface ExportCalls extends CallsOf<typeof exportCalls> {}
/** Calls that set nodes up: files, certificates, hooks, addresses. */
export interface SetupCalls extends CallsOf<typeof setupCalls> {}
/** Calls about the copies of the job queue. */
export interface QueueCalls extends CallsOf<typeof queueCalls> {}

/** Every call, with its arguments and its value. */
export interface NodeCalls
  extends FigureCalls,
    InstanceCalls,
    DiskCalls,
    OsCalls,
    StorageCalls,
    ExportCalls,
    SetupCalls,
    QueueCalls {}

/** Name of a call. */
export type NodeCallName = keyof NodeCalls;
/** Arguments of a call. */
export type NodeCallArguments<Name extends NodeCallName> = NodeCalls[Name]["arguments"];
/** Value of a successful call. */
export type NodeCallValue<Name extends NodeCallName> = NodeCalls[Name]["value"];
