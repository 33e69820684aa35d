/** A machine in a temporary folder, with the certificates of a new cluster. */
import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PemConverter, X509CertificateGenerator } from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

const known = new Map<string, Promise<string>>();

/** Key and self-signed certificate with this common name in one text, created once. */
function selfSigned(name: string): Promise<string> {
  const made = known.get(name) ?? newlySigned(name);
  known.set(name, made);
  return made;
}

async function newlySigned(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
  });
  const key = PemConverter.encode(
    await webcrypto.subtle.exportKey("pkcs8", keys.privateKey),
    "PRIVATE KEY",
  );
  return `${key}\n${certificate.toString("pem")}\n`;
}

export interface MachineFolder {
  /** Value of `--root`. */
  readonly root: string;
  readonly server: string;
  readonly client: string;
  /** A client certificate that is not in the node's list. */
  readonly stranger: string;
  /** Replaces an ssconf file. */
  ssconf(key: string, text: string): void;
  /** Another machine of the same cluster, with a client certificate of its own. */
  neighbour(name: string): Promise<string>;
  remove(): void;
}

export async function machineFolder(): Promise<MachineFolder> {
  const root = mkdtempSync(join(tmpdir(), "noded-"));
  const data = join(root, "var/lib/ganeti");
  mkdirSync(data, { recursive: true });
  const [server, client, stranger] = await Promise.all(
    ["ganeti.example.com", "node1.example.com", "node9.example.com"].map(selfSigned),
  );
  if (server === undefined || client === undefined || stranger === undefined) throw new Error();
  const ssconf = (key: string, text: string): void =>
    writeFileSync(join(data, `ssconf_${key}`), text, { mode: 0o444 });
  writeFileSync(join(data, "server.pem"), server, { mode: 0o600 });
  writeFileSync(join(data, "client.pem"), client, { mode: 0o600 });
  for (const path of ["var/run/ganeti", "var/log/ganeti", "var/lock", "etc/ganeti"]) {
    mkdirSync(join(root, path), { recursive: true });
  }
  const roots = [root];
  ssconf("master_candidates_certs", `uuid-1=${new X509Certificate(client).fingerprint}\n`);
  ssconf("master_node", "node1.example.com\n");
  return {
    root,
    server,
    client,
    stranger,
    ssconf,
    async neighbour(name) {
      const other = mkdtempSync(join(tmpdir(), "noded-"));
      roots.push(other);
      cpSync(root, other, { recursive: true });
      writeFileSync(join(other, "var/lib/ganeti/client.pem"), await selfSigned(name));
      return other;
    },
    remove() {
      for (const one of roots) rmSync(one, { recursive: true });
    },
  };
}
