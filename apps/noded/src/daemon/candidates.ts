/** Digests of the client certificates that may call this node. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Digests in `ssconf_master_candidates_certs` of `directory`: one `NODE-UUID=DIGEST` per line. Each call
 * checks the file's identity and times and reads it again if they have changed, so that the next connection with a
 * withdrawn certificate is refused. Without the file, all clients are refused.
 */
export function acceptedDigests(directory: string): () => readonly string[] {
  const path = join(directory, "ssconf_master_candidates_certs");
  let stamp: string | undefined;
  let digests: readonly string[] = [];
  return () => {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      const now = [ino, size, mtimeNs, ctimeNs].join(" ");
      if (now !== stamp) {
        digests = digestsIn(readFileSync(path, "utf8"));
        stamp = now;
      }
      return digests;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  };
}

const digestsIn = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => {
    const digest = line.slice(line.indexOf("=") + 1).trim();
    return digest === "" ? [] : [digest.toUpperCase()];
  });

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
