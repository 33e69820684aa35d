/** Options that select the source of the cluster. */
import { readInteger } from "@ganeti-ts/htools";
import { type Option, reads } from "../option.js";
import type { Settings } from "../settings.js";

export const textData: Option<Settings> = {
  short: "t",
  long: "text-data",
  argument: { name: "FILE" },
  completes: "file",
  description: "the cluster data FILE",
  apply: reads("textData", String),
};

export const master: Option<Settings> = {
  short: "m",
  long: "master",
  argument: { name: "ADDRESS" },
  completes: "host",
  description: "collect data via RAPI at the given ADDRESS",
  apply: reads("master", String),
};

/** Default socket of Ganeti's master daemon. */
const defaultLuxiSocket = "/var/run/ganeti/socket/ganeti-query";

export const luxi: Option<Settings> = {
  short: "L",
  long: "luxi",
  argument: { name: "SOCKET", optional: true },
  completes: "file",
  description: `collect data via Luxi, optionally using the given SOCKET path [${defaultLuxiSocket}]`,
  apply: reads("luxi", String),
};

export const dataDir: Option<Settings> = {
  long: "data-dir",
  argument: { name: "DIRECTORY" },
  completes: "dir",
  description:
    "with -L alone: ask the server ganeti-rapi that keeps its data in DIRECTORY [$GANETI_TS_DATA]",
  apply: reads("dataDir", String),
};

export const iallocSource: Option<Settings> = {
  short: "I",
  long: "ialloc-src",
  argument: { name: "FILE" },
  completes: "file",
  description: "Specify an iallocator spec as the cluster data source",
  apply: reads("iallocSource", String),
};

export const simulate: Option<Settings> = {
  long: "simulate",
  argument: { name: "SPEC" },
  completes: "string",
  description: "simulate an empty cluster, given as 'alloc_policy,num_nodes,disk,ram,cpu'",
  apply: (settings, text = "") => {
    settings.simulate = [...settings.simulate, text];
  },
};

export const staticKvmNodeMemory: Option<Settings> = {
  long: "static-kvm-node-memory",
  argument: { name: "N" },
  completes: "integer",
  description:
    "use static node memory [in MB] on KVM instead of value reported by hypervisor. " +
    "Use 0 to take value reported from hypervisor.",
  apply: reads("staticKvmNodeMemoryMib", (text) => readInteger(text, "static node memory")),
};
