/** Digests of the client certificates that may call this node. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Reads `ssconf_master_candidates_certs` in `directory`: one `NODE-UUID=DIGEST` per line. It is read at each call, so
 * that a certificate that has been withdrawn is refused at the next connection. Without the file, all clients are refused.
 */
export const acceptedDigests = (directory: string) => (): readonly string[] => {
  let text: string;
  try {
    text = readFileSync(join(directory, "ssconf_master_candidates_certs"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    const digest = line.slice(line.indexOf("=") + 1).trim();
    return digest === "" ? [] : [digest.toUpperCase()];
  });
};

/** Digests that are read at each connection until `keep` is called: then the last ones stay. */
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
