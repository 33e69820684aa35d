/** Calls about the client certificate of this node. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";

/** The node's client certificate; rejects with an error of the file system or of the certificate parser. */
export const clientCertificate = async (data: string): Promise<X509Certificate> =>
  new X509Certificate(await readFile(join(data, "client.pem"), "utf8"));

/** SHA-1 digest as `AA:BB:…`. */
export const digestOf = (certificate: X509Certificate): string => certificate.fingerprint;

export const cryptoCalls = ({ paths }: Pick<NodeContext, "paths">) =>
  handlers({
    async node_crypto_tokens() {
      try {
        return { digest: digestOf(await clientCertificate(paths.data)) };
      } catch (error) {
        throw new NodeFailure(
          `Cannot read the client certificate ${join(paths.data, "client.pem")}: ${(error as Error).message}`,
        );
      }
    },
  });
