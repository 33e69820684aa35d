/** The manual page of ganeti-ts-noded, made from the output of `--help`. */
import { type ManualRow, manualOfUsage } from "@ganeti-ts/command-line";
import { usage } from "./options.js";

const files: readonly ManualRow[] = [
  [
    "/var/lib/ganeti/server.pem",
    "key and certificate of the cluster; without it the daemon does not start",
  ],
  [
    "/var/lib/ganeti/ssconf_master_candidates_certs",
    "digests of the certificates that may call the daemon",
  ],
  [
    "/etc/ganeti/file-storage-paths",
    "directories below which disks in files are allowed, one per line",
  ],
  [
    "/var/lib/ganeti/config.data, hmac.key",
    "the configuration as a master candidate has it, and the key of configuration queries",
  ],
  ["/var/run/ganeti/ganeti-ts-noded.pid", "its process; locked while it runs"],
  ["/var/log/ganeti/node-daemon.log", "its log, opened again on SIGHUP"],
  [
    "confd.js, programs/, os-definitions/, import-export.js",
    "beside the daemon: what it starts, and OS definitions shipped with it",
  ],
];

/** `version` is shown at the foot. */
export const manualPage = (version: string): string =>
  manualOfUsage({
    name: "ganeti-ts-noded",
    section: 8,
    summary: "carries out the node calls of a Ganeti cluster",
    version,
    usage,
    files,
    seeAlso: ["gnt-cluster(8)", "gnt-node(8)", "ganeti-rapi(8)"],
  });
