/** The manual page of ganeti-rapi, from the text that `--help` prints. */
import { manualOfUsage } from "@ganeti-ts/command-line";

export const manualPage = (usage: string, version: string): string =>
  manualOfUsage({
    name: "ganeti-rapi",
    section: 8,
    summary: "serves the remote API of a cluster, and works on its jobs",
    version,
    usage,
    seeAlso: ["gnt-cluster(8)", "gnt-instance(8)", "hbal(1)"],
  });
