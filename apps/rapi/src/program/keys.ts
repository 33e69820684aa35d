/** keysOf: key and certificates of the server: its own, or those of the options. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ensureCertificate, type KeyPair } from "./certificate.js";
import type { Options } from "./options.js";
import { StartError } from "./start-error.js";

type Files = Pick<Options, "keyFile" | "certificateFile" | "chainFile">;

/**
 * Without files in the options: those of `ownPath`, which are made if missing.
 * @throws StartError if a file cannot be read, or does not hold what it should
 */
export async function keysOf(
  { keyFile, certificateFile = keyFile, chainFile }: Files,
  ownPath: string,
  clusterName: string,
): Promise<KeyPair> {
  const { key, cert } =
    keyFile === undefined || certificateFile === undefined
      ? await ensureCertificate(ownPath, clusterName)
      : { key: read(keyFile, "-K"), cert: read(certificateFile, "-C") };
  const privateKey = keyIn(key, keyFile ?? ownPath);
  const [certificate] = certificatesIn(cert, certificateFile ?? ownPath);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(
      `the certificate in ${certificateFile ?? ownPath} is not that of the key in ${keyFile ?? ownPath}`,
    );
  }
  if (chainFile === undefined) return { key, cert };
  const chain = read(chainFile, "--ssl-chain");
  certificatesIn(chain, chainFile);
  return { key, cert: `${cert}\n${chain}` };
}

function read(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`${option}: ${(error as Error).message}`, { cause: error });
  }
}

function keyIn(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new StartError(`there is no private key in ${path}, in PEM and without a password`, {
      cause: error,
    });
  }
}

/** At least one. */
function certificatesIn(text: string, path: string): [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    const [first, ...others] = blocks.map((block) => new X509Certificate(block));
    if (first !== undefined) return [first, ...others];
  } catch (error) {
    throw new StartError(`a certificate in ${path} cannot be read`, { cause: error });
  }
  throw new StartError(`there is no certificate in ${path}, in PEM`);
}
