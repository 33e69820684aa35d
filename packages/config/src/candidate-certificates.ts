/** Second certificates in `candidate_certs`: a node whose certificate is being replaced is listed with both. */

/** Key of a node's second certificate. Nodes read the digests only; Ganeti keeps keys that are no UUIDs. */
export const secondCertificateOf = (nodeUuid: string): string => `${nodeUuid}-next`;

/** The list without any certificate of the node: nodes refuse its calls from then on. */
export function withoutCertificatesOf(
  nodeUuid: string,
  certificates: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { [nodeUuid]: _, [secondCertificateOf(nodeUuid)]: __, ...others } = certificates;
  return others;
}
