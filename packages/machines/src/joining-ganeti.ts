/** prepareGanetiNode: prepares a machine with Ganeti's packages over ssh before it joins an adopted cluster. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@ganeti-ts/config";
import { type JsonObject, writeAsciiJson } from "@ganeti-ts/protocol";
import { answers } from "./daemon-answers.js";
import { type JoiningNode, type JoiningPlace, withFirstContact } from "./joining.js";
import { MachineError } from "./machine-error.js";
import { type Machine, mustRun } from "./machine-way.js";
import { publicKeyLines, publicKeysFile, writePublicKeys } from "./public-keys.js";
import { exportsOn, type GanetiSite } from "./site.js";

const programs = "/usr/lib/ganeti";

/**
 * Runs the same programs on the new machine as Ganeti's own `gnt-node add`: one for the ssh keys, unless the cluster does
 * not manage them, and one for certificates, ssconf files and the daemon. OP_NODE_ADD comes afterwards.
 * @throws MachineError with the output of a failed program, e.g. that the machine belongs to another cluster
 */
export const prepareGanetiNode = (node: JoiningNode, place: JoiningPlace): Promise<void> =>
  withFirstContact(node, place.now, async ({ machine, name, ip }) => {
    const { now, site, say } = place;
    const { cluster } = now;
    const exports = exportsOn(site, name);
    const run = (program: string, input: JsonObject) =>
      mustRun(machine, `${exports}${runningProgram(program)}`, writeAsciiJson(input));
    if (cluster.modify_ssh_setup) {
      await run("prepare-node-join", joinInput(now, site));
      await recordKey(machine, name, cluster.ssh_key_type, site);
      say(`${name} has the ssh keys of the cluster`);
    }
    await run("node-daemon-setup", daemonInput(now, site, name));
    await answers(
      ip,
      readFileSync(join(site.data, "server.pem"), "utf8"),
      join(site.data, "client.pem"),
    );
    say(`the node daemon of ${name} answers`);
  });

const runningProgram = (program: string): string => {
  const path = `${programs}/${program}`;
  return `[ -x ${path} ] || { echo "there is no ${path}: install the same version of Ganeti there" >&2; exit 1; }; exec ${path}`;
};

/** Input of `node-daemon-setup`. */
export function daemonInput(now: Snapshot, site: GanetiSite, name: string): JsonObject {
  const text = (file: string) => readFileSync(join(site.data, file), "utf8");
  const prefix = "ssconf_";
  const ssconf = readdirSync(site.data)
    .filter((file) => file.startsWith(prefix) && !file.includes("."))
    .map((file) => [file.slice(prefix.length), text(file).trimEnd()] as const);
  return {
    cluster_name: now.cluster.cluster_name,
    node_daemon_certificate: text("server.pem"),
    hmac_key: text("hmac.key"),
    ssconf: Object.fromEntries(ssconf),
    start_node_daemon: true,
    node_name: name,
  };
}

const hostKeyTypes = ["dsa", "ecdsa", "rsa"] as const;

/** Input of `prepare-node-join`: the host keys, which all nodes share, and root's keys of the candidates. */
export function joinInput(now: Snapshot, site: GanetiSite, sshFolder = "/etc/ssh"): JsonObject {
  const { cluster } = now;
  const hostKeys = hostKeyTypes.flatMap((type) => {
    const file = join(sshFolder, `ssh_host_${type}_key`);
    if (!existsSync(file)) return [];
    return [[type, readFileSync(file, "utf8"), readFileSync(`${file}.pub`, "utf8")]];
  });
  const pem = readFileSync(join(site.data, "server.pem"), "utf8");
  const [certificate = ""] =
    /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n/.exec(pem) ?? [];
  return {
    cluster_name: cluster.cluster_name,
    node_daemon_certificate: certificate,
    ssh_host_key: hostKeys,
    ssh_root_key: [],
    authorized_keys: candidateKeys(now, site),
    ssh_key_type: cluster.ssh_key_type,
    ssh_key_bits: cluster.ssh_key_bits,
  };
}

/** Root's public keys of master candidates, by UUID. @throws MachineError if the file with the keys is missing */
function candidateKeys(now: Snapshot, site: GanetiSite): Readonly<Record<string, string[]>> {
  const file = publicKeysFile(site);
  if (!existsSync(file)) {
    throw new MachineError(`there is no ${file} with the ssh keys of the nodes`);
  }
  const keys: Record<string, string[]> = {};
  for (const [uuid, key] of publicKeyLines(site)) {
    if (now.find("node", uuid)?.master_candidate) keys[uuid] = [...(keys[uuid] ?? []), key];
  }
  return keys;
}

/** Records the key of the new node under its name, because it has no UUID yet. */
async function recordKey(machine: Machine, name: string, type: string, site: GanetiSite) {
  const key = (await mustRun(machine, `cat ~root/.ssh/id_${type}.pub`)).trim();
  const others = publicKeyLines(site).filter(([node]) => node !== name);
  writePublicKeys(site, [...others, [name, key]]);
}
