/** Programs of the multi-call executable. Each loads when it is selected. */
import { type Runner, runnerOf } from "./program.js";

interface Entry {
  /** Description in Ganeti's list of programs. */
  readonly description: string;
  readonly load: () => Promise<Runner>;
}

export const programs: ReadonlyMap<string, Entry> = new Map(
  Object.entries<Entry>({
    hail: {
      description:
        "Ganeti IAllocator plugin that implements the instance placement and movement using the same algorithm as hbal(1)",
      load: async () => runnerOf((await import("./hail/program.js")).hail),
    },
    harep: {
      description:
        "auto-repair tool that detects certain kind of problems with instances and applies the allowed set of solutions",
      load: async () => runnerOf((await import("./harep/program.js")).harep),
    },
    hbal: {
      description:
        "cluster balancer that looks at the current state of the cluster and computes a series of steps designed to bring the cluster into a better state",
      load: async () => runnerOf((await import("./hbal/program.js")).hbal),
    },
    hcheck: {
      description:
        "cluster checker; prints information about cluster's health and checks whether a rebalance done using hbal would help",
      load: async () => runnerOf((await import("./hcheck/program.js")).hcheck),
    },
    hinfo: {
      description:
        "cluster information printer; it prints information about the current cluster state and its residing nodes/instances",
      load: async () => runnerOf((await import("./hinfo/program.js")).hinfo),
    },
    hscan: {
      description:
        "tool for scanning clusters via RAPI and saving their data in the input format used by hbal(1) and hspace(1)",
      load: async () => runnerOf((await import("./hscan/program.js")).hscan),
    },
    hspace: {
      description:
        "computes how many additional instances can be fit on a cluster, while maintaining N+1 status.",
      load: async () => runnerOf((await import("./hspace/program.js")).hspace),
    },
    hroller: {
      description:
        "cluster rolling maintenance helper; it helps scheduling node reboots in a manner that doesn't conflict with the instances' topology",
      load: async () => runnerOf((await import("./hroller/program.js")).hroller),
    },
    hsqueeze: {
      description:
        "cluster dynamic power management;  it powers up and down nodes to keep the amount of free online resources in a given range",
      load: async () => runnerOf((await import("./hsqueeze/program.js")).hsqueeze),
    },
  }),
);
