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

export interface FigureCalls extends CallsOf<typeof figureCalls> {}
export interface InstanceCalls extends CallsOf<typeof instanceCalls> {}
export interface DiskCalls extends CallsOf<typeof diskCalls> {}
export interface OsCalls extends CallsOf<typeof osCalls> {}
export interface StorageCalls extends CallsOf<typeof storageCalls> {}
export interface ExportCalls extends CallsOf<typeof exportCalls> {}
export interface SetupCalls extends CallsOf<typeof setupCalls> {}
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

export type NodeCallName = keyof NodeCalls;
export type NodeCallArguments<Name extends NodeCallName> = NodeCalls[Name]["arguments"];
export type NodeCallValue<Name extends NodeCallName> = NodeCalls[Name]["value"];
