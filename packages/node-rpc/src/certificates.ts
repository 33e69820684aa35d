/** Certificates of the client and the server, given as texts or read from files. */
import { readFileSync, statSync } from "node:fs";

/** Certificates that a client needs (PEM; certificate and key may be in the same text). */
export interface ClientCertificates {
  /** Certificate of the cluster, the only one that the client accepts from nodes. */
  readonly clusterCertificate: string;
  /** Certificate that this client presents. */
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** Certificates that a server needs (PEM; both may be in the same text). */
export interface ServerCertificates {
  readonly clusterCertificate: string;
  readonly clusterKey: string;
}

/**
 * The certificates, or a function that is called before each handshake: if it returns a different object than last time,
 * the new one is used from this handshake on. If the function throws, or its certificates are unusable, the last good ones
 * stay in use.
 */
export type Certificates<T> = T | { readonly certificates: () => T };

/**
 * Certificates of a client in files of a node, usually `server.pem` and `client.pem` in `/var/lib/ganeti`. They
 * are read again when a file has been replaced or written; each handshake costs one `stat` per file.
 */
export function clientCertificateFiles(paths: {
  readonly cluster: string;
  readonly client: string;
}): () => ClientCertificates {
  const files = watched([paths.cluster, paths.client]);
  return kept(files, ([cluster = "", client = ""]) => ({
    ...{ clusterCertificate: cluster, clientCertificate: client, clientKey: client },
  }));
}

/** Like `clientCertificateFiles`, for a server: certificate and key of the cluster, usually `server.pem`. */
export function serverCertificateFile(path: string): () => ServerCertificates {
  return kept(watched([path]), ([pem = ""]) => ({ clusterCertificate: pem, clusterKey: pem }));
}

/** Contents of the files; the same object is returned until one of the files changes. */
function watched(paths: readonly string[]): () => readonly string[] {
  let stamp: string | undefined;
  let contents: readonly string[] = [];
  return () => {
    const now = paths.map(stampOf).join(" ");
    if (now !== stamp) {
      contents = paths.map((path) => readFileSync(path, "utf8"));
      stamp = now;
    }
    return contents;
  };
}

function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Caches the result of `make` until the source returns another object. */
function kept<S, T>(source: () => S, make: (from: S) => T): () => T {
  let last: { readonly from: S; readonly made: T } | undefined;
  return () => {
    const from = source();
    if (last?.from !== from) last = { from, made: make(from) };
    return last.made;
  };
}

const isSource = <T>(given: Certificates<T>): given is { readonly certificates: () => T } =>
  typeof given === "object" && given !== null && "certificates" in given;

/** An object derived from certificates, made again only when the source returns other certificates. */
export class FromCertificates<T, Made> {
  readonly #source: () => T;
  readonly #make: (certificates: T) => Made;
  #from: T;
  #made: Made;

  /** @throws Error if the first certificates cannot be used */
  constructor(given: Certificates<T>, make: (certificates: T) => Made) {
    this.#source = isSource(given) ? given.certificates : () => given;
    this.#make = make;
    this.#from = this.#source();
    this.#made = make(this.#from);
  }

  get current(): Made {
    try {
      const given = this.#source();
      if (given !== this.#from) {
        // Not retried if it fails: the source returns another object when the files are complete.
        this.#from = given;
        this.#made = this.#make(given);
      }
    } catch {
      // The last good ones stay in use.
    }
    return this.#made;
  }
}
