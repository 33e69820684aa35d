/** Certificates of a new cluster and of its nodes, in the forms that Ganeti's daemons expect. */
import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import { x509 } from "./x509.js";

const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
} as const;

const validMs = 1825 * 86_400_000;

/** Common name that clients of the import and export programs require. */
const clusterCommonName = "ganeti.example.com";

/** Key and self-signed certificate of a cluster: the same file `server.pem` on all nodes. */
export async function newClusterPem(now: number): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { X509CertificateGenerator } = await x509();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: [{ CN: [clusterCommonName] }],
    notBefore: new Date(now),
    notAfter: new Date(now + validMs),
    keys,
    signingAlgorithm: algorithm,
  });
  return together(keys.privateKey, certificate.toString("pem"));
}

/** Key and certificate `client.pem` of one node, signed with the key of the cluster. */
export async function newNodePem(clusterPem: string, node: string, now: number): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { X509Certificate: Issuer, X509CertificateGenerator } = await x509();
  const issuer = new Issuer(new X509Certificate(clusterPem).raw).subjectName;
  const certificate = await X509CertificateGenerator.create({
    // A serial number that increases with time, with an even number of hexadecimal digits.
    serialNumber: Math.floor(now / 1000)
      .toString(16)
      .padStart(10, "0"),
    subject: [{ CN: [node] }],
    issuer: issuer.toString(),
    notBefore: new Date(now),
    notAfter: new Date(now + validMs),
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey(
      "pkcs8",
      createPrivateKey(clusterPem).export({ type: "pkcs8", format: "der" }),
      algorithm,
      false,
      ["sign"],
    ),
    signingAlgorithm: algorithm,
  });
  return together(keys.privateKey, certificate.toString("pem"));
}

/** Digest by which nodes recognize callers: SHA-1 of the certificate, in pairs of upper-case hexadecimal digits. */
export const digestOf = (pem: string): string => new X509Certificate(pem).fingerprint;

async function together(key: webcrypto.CryptoKey, certificate: string): Promise<string> {
  const exported = await webcrypto.subtle.exportKey("pkcs8", key);
  const { PemConverter } = await x509();
  return `${PemConverter.encode(exported, "PRIVATE KEY")}\n${certificate}\n`;
}
