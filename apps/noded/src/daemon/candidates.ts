/** Digests of the client certificates that may call this node. */
import { join } from "node:path";
import { lastRead, linesIn } from "../host/last-read.js";

/**
 * Digests in `ssconf_master_candidates_certs` of `directory`: one `NODE-UUID=DIGEST` per line. Changes of the file take effect
 * at the next connection, e.g. for a withdrawn certificate. Without the file, all clients are refused.
 */
export function acceptedDigests(directory: string): () => readonly string[] {
  const digests = lastRead(join(directory, "ssconf_master_candidates_certs"), digestsIn);
  return () => digests() ?? [];
}

const digestsIn = (content: Buffer): readonly string[] =>
  linesIn(content).flatMap((line) => {
    const digest = line.slice(line.indexOf("=") + 1).trim();
    return digest === "" ? [] : [digest.toUpperCase()];
  });

/** Digests that are read at each connection until `keep` is called; from then on the last ones are used. */
export function keptDigests(read: () => readonly string[]): {
  readonly digests: () => readonly string[];
  readonly keep: () => void;
} {
  let kept: readonly string[] | undefined;
  return {
    digests: () => kept ?? read(),
    keep() {
      kept ??= read();
    },
  };
}
