/** The client's own certificate, and descriptions of certificates for messages. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import type { ClientCertificates } from "../certificates.js";

/** The certificate that a client presents, with its secure context. */
export interface OwnIdentity {
  readonly secureContext: SecureContext;
  readonly certificate: X509Certificate;
}

/** @throws Error if a certificate or key cannot be read */
export const ownIdentity = (certificates: ClientCertificates): OwnIdentity => ({
  secureContext: createSecureContext({
    ca: certificates.clusterCertificate,
    cert: certificates.clientCertificate,
    key: certificates.clientKey,
    // With TLS 1.3, the session tickets of a daemon cost 40 ms per connection.
    maxVersion: "TLSv1.2",
  }),
  certificate: new X509Certificate(certificates.clientCertificate),
});

/** `CN=node1.example.com, AA:BB:…, valid until 2031-01-01`, on one line. */
function named({ subject, fingerprint, validTo }: X509Certificate): string {
  const until = new Date(validTo).toISOString().slice(0, 10);
  return `${subject.split("\n").join(", ")}, ${fingerprint}, valid until ${until}`;
}

/** Describes the certificate that a node has presented. */
export function shownCertificate(socket: TLSSocket): string {
  const shown = socket.getPeerX509Certificate();
  return shown === undefined ? "" : ` (the node's certificate: ${named(shown)})`;
}

/** Describes the certificate of this client if the error means that the node refused it; otherwise empty. */
export const refusedIdentity = ({ message }: Error, { certificate }: OwnIdentity): string =>
  /alert (unknown ca|bad certificate|certificate|handshake failure|access denied)/.test(message)
    ? ` (the node refuses the certificate of this client: ${named(certificate)})`
    : "";
