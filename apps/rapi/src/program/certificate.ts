/** Certificate of the server, self-signed if there is none. */

import { randomBytes, webcrypto } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { x509 } from "@ganeti-ts/machines";

export interface KeyPair {
  readonly key: string;
  /** The certificate, followed by those of its issuers, if any. */
  readonly cert: string;
}

const validYears = 5;
/** ECDSA, because each new connection needs a signature, which takes a tenth of the time of RSA's. */
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Key and certificate of a file that contains both, and is created if missing. */
export async function ensureCertificate(path: string, clusterName: string): Promise<KeyPair> {
  if (!existsSync(path)) {
    const { key, cert } = await selfSigned(clusterName);
    // Written completely before the rename, and never readable by others.
    const fresh = `${path}.new`;
    writeFileSync(fresh, `${key}\n${cert}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  }
  const both = readFileSync(path, "utf8");
  return { key: both, cert: both };
}

/** A self-signed certificate for the names of the cluster and of this host, and for localhost. */
async function selfSigned(clusterName: string): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const notBefore = new Date();
  const notAfter = new Date(notBefore);
  notAfter.setFullYear(notAfter.getFullYear() + validYears);
  const names = new Set([clusterName, hostname(), "localhost"]);
  const kit = await x509();
  const certificate = await kit.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(15).toString("hex")}`,
    name: [{ CN: [clusterName] }],
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new kit.BasicConstraintsExtension(true, undefined, true),
      new kit.ExtendedKeyUsageExtension([kit.ExtendedKeyUsage.serverAuth]),
      new kit.SubjectAlternativeNameExtension([
        ...[...names].map((value) => ({ type: "dns" as const, value })),
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "::1" },
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { key: kit.PemConverter.encode(key, "PRIVATE KEY"), cert: certificate.toString("pem") };
}
