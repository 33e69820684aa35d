/** commonName: the name under which the other end of a transfer shows its certificate. */
import { X509Certificate } from "node:crypto";

/**
 * Name in the first certificate of a text: the one that the other end listens with, since both ends are given each
 * other's. @throws Error if it has none, or one that is no host name
 */
export function commonName(pem: string): string {
  const { subject } = new X509Certificate(pem);
  const name = /^CN=(.+)$/m.exec(subject ?? "")?.[1] ?? "";
  if (/^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$/.test(name)) return name;
  throw new Error(`The other end's certificate has no host name as its common name: '${subject}'`);
}
