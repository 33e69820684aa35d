/** commonName: the name in the certificate of a transfer's other end. */
import { X509Certificate } from "node:crypto";

/**
 * Common name in the first certificate of a text, with which the other end listens: each end gets the certificate of the
 * other one. @throws Error if the certificate has no common name, or one that is not a host name
 */
export function commonName(pem: string): string {
  const { subject } = new X509Certificate(pem);
  const name = /^CN=(.+)$/m.exec(subject ?? "")?.[1] ?? "";
  if (/^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$/.test(name)) return name;
  throw new Error(`The other end's certificate has no host name as its common name: '${subject}'`);
}
