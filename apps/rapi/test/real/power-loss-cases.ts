/** Changes of a mirror during which a node is killed, and the commands that repair the result. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { nodeNames, type Trap } from "./guest-cluster.js";

/** The instance whose mirror is changed, and one that is created and removed meanwhile. */
export const web = "web.example.com";
export const db = "db.example.com";

const sizeMib = 64;
const grownMib = 80;

export interface Case {
  readonly title: string;
  readonly opcode: JsonObject;
  /** Side of the mirror that is killed, as it is when the job begins. */
  readonly on: "primary" | "secondary";
  readonly trap: Trap;
  /** Part of the job's error; null if it succeeds all the same. */
  readonly error: string | null;
  /** Side that has the only good copy afterwards and is written to. */
  readonly written?: "primary" | "secondary";
  readonly repairs: readonly JsonObject[];
}

const [node1, node2] = nodeNames;

/** Primary on node2: node1 is the master, which cannot be marked offline. */
export const creation = (name: string, start: boolean): JsonObject => ({
  ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", instance_name: name, disk_template: "drbd" },
  ...{ disks: [{ size: sizeMib }], nics: [], pnode: node2, snode: node1, os_type: "noop+default" },
  ...{ ip_check: false, name_check: false, ignore_ipolicy: true, start },
  beparams: { maxmem: 32, minmem: 32 },
});
export const removal = (name: string): JsonObject => ({
  ...{ OP_ID: "OP_INSTANCE_REMOVE", instance_name: name, shutdown_timeout: 0 },
});
const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  ...{ OP_ID, instance_name: web },
  ...more,
});
export const activation = about("OP_INSTANCE_ACTIVATE_DISKS");
export const synchronisation = about("OP_INSTANCE_ACTIVATE_DISKS", { wait_for_sync: true });
export const startup = about("OP_INSTANCE_STARTUP");
export const migration = about("OP_INSTANCE_MIGRATE");
export const failover = about("OP_INSTANCE_FAILOVER", { shutdown_timeout: 0 });
const cleanup = about("OP_INSTANCE_MIGRATE", { cleanup: true });
const grown = (amount: number): JsonObject =>
  about("OP_INSTANCE_GROW_DISK", { disk: 0, amount, absolute: true, ignore_ipolicy: true });
const growth = grown(grownMib);
const moreGrowth = grown(96);
export const replacement = (side: "primary" | "secondary"): JsonObject =>
  about("OP_INSTANCE_REPLACE_DISKS", { mode: `replace_on_${side}`, disks: [] });

const again = [creation(db, false), removal(db)];

export const cases: readonly Case[] = [
  {
    title: "a creation whose secondary loses its power leaves nothing, and can be repeated",
    ...{ opcode: creation(db, false), on: "secondary" },
    trap: { program: "drbdmeta", words: "*create-md*", moment: "before", fault: "power" },
    error: "Can't create block device",
    repairs: [synchronisation, ...again],
  },
  {
    title: "a creation whose secondary's daemon is killed after its last volume leaves nothing",
    ...{ opcode: creation(db, false), on: "secondary" },
    trap: { program: "lvcreate", words: "*_meta*", moment: "after", fault: "daemon" },
    error: "Can't create block device",
    repairs: again,
  },
  {
    title: "a creation whose primary's daemon is killed when the mirror is up leaves nothing",
    ...{ opcode: creation(db, false), on: "primary" },
    trap: { program: "drbdsetup", words: "primary*", moment: "after", fault: "daemon" },
    error: "Can't create block device",
    repairs: again,
  },
  {
    title: "a growth whose secondary loses its power keeps the content, and is completed later",
    ...{ opcode: growth, on: "secondary", written: "primary" },
    trap: { program: "lvextend", words: "*", moment: "after", fault: "power" },
    error: "Grow request failed",
    repairs: [synchronisation, growth],
  },
  {
    title: "a growth whose primary's daemon is killed after the mirror has grown is completed",
    ...{ opcode: moreGrowth, on: "primary" },
    trap: { program: "drbdsetup", words: "resize*", moment: "after", fault: "daemon" },
    error: "Grow request failed",
    repairs: [moreGrowth],
  },
  {
    title: "a replacement whose node loses its power between two copies is repeated",
    ...{ opcode: replacement("secondary"), on: "secondary", written: "primary" },
    trap: { program: "lvrename", words: "*_replaced-*", moment: "after", fault: "power" },
    error: "Can't rename old LVs",
    repairs: [activation, replacement("secondary")],
  },
  {
    title: "a replacement on the primary whose daemon is killed before the new copy is repeated",
    ...{ opcode: replacement("primary"), on: "primary", written: "primary" },
    trap: { program: "drbdsetup", words: "attach*", moment: "before", fault: "daemon" },
    error: "Can't add local storage to drbd",
    repairs: [replacement("primary")],
  },
  {
    title:
      "a migration whose target loses its power while both sides are primary stays at its source",
    ...{ opcode: migration, on: "secondary", written: "primary" },
    trap: { program: "drbdsetup", words: "primary*", moment: "after", fault: "power" },
    error: "Cannot open instance disks",
    repairs: [activation, cleanup, synchronisation],
  },
  {
    title: "a migration whose target's daemon is killed before it opens the disks is cleaned up",
    ...{ opcode: migration, on: "secondary", written: "primary" },
    trap: { program: "drbdsetup", words: "primary*", moment: "before", fault: "daemon" },
    error: "Cannot open instance disks",
    repairs: [cleanup],
  },
  {
    title: "a migration whose source loses its power after the instance has moved is at its target",
    ...{ opcode: migration, on: "primary", written: "secondary" },
    trap: { program: "drbdsetup", words: "secondary*", moment: "before", fault: "power" },
    error: "Cannot close instance disks",
    repairs: [activation, cleanup, synchronisation],
  },
  {
    title: "a failover whose target's daemon is killed before it opens the disks ends with a start",
    ...{ opcode: failover, on: "secondary" },
    trap: { program: "drbdsetup", words: "primary*", moment: "before", fault: "daemon" },
    error: "Can't activate the instance's disks",
    repairs: [startup],
  },
  {
    title: "a failover whose source loses its power before it closes the disks succeeds",
    ...{ opcode: failover, on: "primary", written: "secondary" },
    trap: { program: "drbdsetup", words: "down*", moment: "before", fault: "power" },
    error: null,
    repairs: [synchronisation],
  },
];
