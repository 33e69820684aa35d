/** gnt-cluster renew-crypto: renews certificates and SSH keys of nodes, and the key of configuration queries. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { fromOptions } from "../../opcode.js";
import { hasRealNodes, isAdopted } from "./server-program.js";

const rapi =
  "it is a file of the server: put it there and restart ganeti-rapi, or see its options --ssl-key and --ssl-cert";
const domainSecret =
  'it is the file /var/lib/ganeti/cluster-domain-secret of the master: change it there and run "gnt-cluster redist-conf"';
const refused: Readonly<Record<string, string>> = {
  "new-rapi-certificate":
    "remove rapi.pem from the data directory and restart ganeti-rapi, which makes one",
  "rapi-certificate": rapi,
  "new-cluster-domain-secret": domainSecret,
  "cluster-domain-secret": domainSecret,
  "new-spice-certificate": "there is no SPICE yet",
  "spice-certificate": "there is no SPICE yet",
  "spice-ca-certificate": "there is no SPICE yet",
};

const question =
  "This requires all daemons on all nodes to be restarted and may take some time. Continue?";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, ask, out, cluster } = invocation;
  out.line(
    'Updating certificates now. Running "gnt-cluster verify"  is recommended after this operation.',
  );
  for (const [option, why] of Object.entries(refused)) {
    if (options.has(option)) throw new Ending(`Cannot do --${option}: ${why}.`);
  }
  checkClusterCertificate(invocation);
  const nodes = options.flag("new-cluster-certificate") || options.flag("new-node-certificates");
  const keys = options.flag("new-ssh-keys");
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 1;
  if (options.flag("new-confd-hmac-key")) {
    await cluster.renewConfdKey();
    // Nodes get files of the master with the configuration.
    await runOpcode(invocation, { OP_ID: "OP_CLUSTER_REDIST_CONF" });
  }
  if (nodes || keys) {
    await runOpcode(invocation, {
      OP_ID: "OP_CLUSTER_RENEW_CRYPTO",
      node_certificates: nodes,
      renew_ssh_keys: keys,
      ...fromOptions(options, "ssh-key-type", "ssh-key-bits"),
      verbose: options.flag("verbose"),
    });
  }
  out.line(
    'All requested certificates and keys have been replaced. Running "gnt-cluster verify" now is recommended.',
  );
  return 0;
}

/** Daemons of real machines would have to be stopped and given the new file. @throws Ending */
function checkClusterCertificate({ options, dataDirectory }: Invocation): void {
  if (options.has("url") || !options.flag("new-cluster-certificate")) return;
  if (isAdopted(dataDirectory)) {
    throw new Ending(
      "Cannot do --new-cluster-certificate: hand the cluster back to Ganeti, renew it there, and adopt it again.",
    );
  }
  if (hasRealNodes(dataDirectory)) {
    throw new Ending(
      "Cannot do --new-cluster-certificate: nodes keep the one that they were given when they joined.",
    );
  }
}
