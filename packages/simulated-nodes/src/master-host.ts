/** Master host of simulated nodes: the files and commands of the machine that the server runs on. */
import { answered, type MasterHost } from "@ganeti-ts/node-calls";
import type { OnHost } from "./host-operations.js";

/** The machine of the node whose UUID `master` returns at the time of the call. */
export const simulatedMasterHost = (master: () => string, on: OnHost): MasterHost => ({
  readFiles: (paths) => on(master(), "read_files", paths),
  domainSecret: () => on(master(), "domain_secret"),
  certificateFault: (certPem) => on(master(), "certificate_fault", certPem),
  renewNodeCertificate: (node) => on(node, "renew_certificate"),
  secondCertificate: {
    make: () => on(master(), "next_certificate"),
    tryOn: (node) => on(node, "try_certificate"),
    use: (digest) => on(master(), "use_certificate", digest),
    remove: async () => answered(null),
  },
  runOnNode: (node, command) => on(node, "run_command", command),
  copyToNode: (node, path, { content }) => on(node, "copy_file", { path, content }),
});
