/** masterMachine: files and programs of the node that the server runs on, and its ssh access to other nodes. */

import { randomBytes, X509Certificate } from "node:crypto";
import { chmod, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Snapshot } from "@ganeti-ts/config";
import {
  exportsOn,
  type GanetiSite,
  localPath,
  newNodePem,
  pathOn,
  type RemoteRun,
  rootOf,
  runOverSsh,
  shellWord,
  sshOptions,
} from "@ganeti-ts/machines";
import {
  answered,
  type CertificateFault,
  dataDirectory,
  failed,
  type MasterFile,
  type MasterHost,
  type NodeAnswer,
} from "@ganeti-ts/node-calls";
import type { NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { namesById } from "./accounts.js";
import { absent } from "./local-files.js";
import { orMessage, secondCertificate } from "./second-certificate.js";

const domainSecretPath = `${dataDirectory}/cluster-domain-secret`;

/** The machine that the server runs on, as the master of the cluster. */
export function masterMachine(site: GanetiSite, now: () => Snapshot): MasterHost {
  const overSsh = async (
    uuid: string,
    command: string,
    input = "",
  ): Promise<NodeAnswer<RemoteRun>> => {
    const node = now().node(uuid as NodeUuid);
    if (node === undefined) return failed(`Unknown node ${uuid}`);
    return runOverSsh(
      node.name,
      `${exportsOn(site, node.name)}${command}`,
      input,
      sshOptions(now(), site, node),
    );
  };
  return {
    readFiles: (paths) => orMessage(async () => answered(await filesAt(site, paths))),
    domainSecret: () =>
      orMessage(async () => answered(await domainSecret(localPath(site, domainSecretPath)))),
    certificateFault: async (certPem) => answered(certificateFault(certPem)),
    renewNodeCertificate: (uuid) => renewedCertificate(site, now().node(uuid as NodeUuid), overSsh),
    secondCertificate: secondCertificate(site, now),
    runOnNode: (node, command) => overSsh(node, command),
    async copyToNode(node, path, { content, mode }) {
      const there = pathOn(site, now().node(node as NodeUuid)?.name ?? "", path);
      const target = shellWord(there);
      const partial = shellWord(`${there}.new`);
      const permissions = (mode & 0o7777).toString(8);
      const script = `umask 077 && cat > ${partial} && chmod ${permissions} ${partial} && mv -f ${partial} ${target}`;
      return withoutOutput(await overSsh(node, script, content));
    },
  };
}

/** Writes a certificate on standard input to its place, for the owner of the cluster's certificate. */
const replaceCertificate = (folder: string): string =>
  `cd ${shellWord(folder)} && umask 077 && cat > client.pem.new && chown --reference=server.pem client.pem.new && chmod 0440 client.pem.new && mv -f client.pem.new client.pem`;

/** A new `client.pem` on another node, signed with the key of the cluster. */
async function renewedCertificate(
  site: GanetiSite,
  node: NodeObject | undefined,
  overSsh: (uuid: string, command: string, input: string) => Promise<NodeAnswer<RemoteRun>>,
): Promise<NodeAnswer<null>> {
  // A machine that joins is not in the configuration yet, and got its certificate when it was prepared.
  if (node === undefined || node.name === site.host) return answered(null);
  const clusterPem = await readFile(join(site.data, "server.pem"), "utf8");
  const pem = await newNodePem(clusterPem, node.name, Date.now());
  const folder = `${rootOf(site, node.name)}${dataDirectory}`;
  return withoutOutput(await overSsh(node.uuid, replaceCertificate(folder), pem));
}

function withoutOutput(answer: NodeAnswer<RemoteRun>): NodeAnswer<null> {
  if (!answer.ok) return answer;
  const { exitCode, output } = answer.value;
  return exitCode === 0 ? answered(null) : failed(output.trim() || `exited with ${exitCode}`);
}

/** Files that exist, with the names of their owners as nodes know them. */
async function filesAt(
  site: GanetiSite,
  paths: readonly string[],
): Promise<Readonly<Record<string, MasterFile>>> {
  const [users, groups] = await Promise.all([namesById("/etc/passwd"), namesById("/etc/group")]);
  const found: Record<string, MasterFile> = {};
  for (const path of paths) {
    const file = localPath(site, path);
    const content = await readFile(file, "utf8").catch(absent);
    if (content === undefined) continue;
    const { mode, uid, gid, atimeMs, mtimeMs } = await stat(file);
    found[path] = {
      content,
      mode,
      owner: users.get(uid) ?? String(uid),
      group: groups.get(gid) ?? String(gid),
      accessedAt: atimeMs / 1000,
      modifiedAt: mtimeMs / 1000,
    };
  }
  return found;
}

async function domainSecret(file: string) {
  const known = await readFile(file, "utf8").catch(absent);
  if (known !== undefined) return { secret: known, isNew: false };
  const secret = `${randomBytes(20).toString("hex")}\n`;
  await writeFile(`${file}.new`, secret, { mode: 0o600, flush: true });
  await chmod(`${file}.new`, 0o640);
  await rename(`${file}.new`, file);
  return { secret, isNew: true };
}

/** Reason why a certificate from another cluster cannot be used; null if it can. */
export function certificateFault(certPem: string): CertificateFault | null {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(certPem);
  } catch (error) {
    return { kind: "unreadable", text: (error as Error).message };
  }
  const [from, until] = [certificate.validFrom, certificate.validTo].map((text) => new Date(text));
  const shown = (moment: Date | undefined) => moment?.toISOString().slice(0, 19).replace("T", " ");
  if (from !== undefined && from.getTime() > Date.now()) {
    return { kind: "invalid", text: `Certificate not yet valid (valid from ${shown(from)})` };
  }
  if (until !== undefined && until.getTime() < Date.now()) {
    return { kind: "invalid", text: `Certificate is expired (valid until ${shown(until)})` };
  }
  return null;
}
