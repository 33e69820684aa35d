/** Master host of simulated nodes: the files and commands of the machine that the server runs on. */
import { answered, type MasterHost, type NodeAnswer } from "@ganeti-ts/node-calls";
import { type HostOperationName, hostOperations } from "./host-operations.js";
import type { Site } from "./site.js";

/** Carries an operation out on the machine of a node. */
export type OnHost = <T>(
  node: string,
  name: HostOperationName,
  act: (site: Site) => T,
) => Promise<NodeAnswer<T>>;

/** The machine of the node whose UUID `master` returns at the time of the call. */
export function simulatedMasterHost(master: () => string, on: OnHost): MasterHost {
  const here = <T>(name: HostOperationName, act: (site: Site) => T) => on(master(), name, act);
  return {
    readFiles: (paths) => here("read_files", (site) => hostOperations.read_files(site, paths)),
    domainSecret: () => here("domain_secret", (site) => hostOperations.domain_secret(site, null)),
    certificateFault: (certPem) =>
      here("certificate_fault", (site) => hostOperations.certificate_fault(site, certPem)),
    renewNodeCertificate: (node) =>
      on(node, "renew_certificate", (site) => hostOperations.renew_certificate(site, null)),
    secondCertificate: {
      make: () => here("next_certificate", (site) => hostOperations.next_certificate(site, null)),
      tryOn: (node) =>
        on(node, "try_certificate", (site) => hostOperations.try_certificate(site, null)),
      use: (digest) =>
        here("use_certificate", (site) => hostOperations.use_certificate(site, digest)),
      remove: async () => answered(null),
    },
    runOnNode: (node, command) =>
      on(node, "run_command", (site) => hostOperations.run_command(site, command)),
    copyToNode: (node, path, { content }) =>
      on(node, "copy_file", (site) => hostOperations.copy_file(site, { path, content })),
  };
}
