/** Certificate of a running server: reloaded on request, with a warning before it expires. */
import { X509Certificate } from "node:crypto";
import type { Log } from "../log.js";
import type { KeyPair } from "./certificate.js";

/** How long before expiry a warning is logged, and how often expiry is checked (ms). */
const noticeMs = 30 * 24 * 3600 * 1000;
const lookEveryMs = 24 * 3600 * 1000;

export interface KeyCare {
  /** Applies the present files; if they are invalid, keeps the current keys and logs the reason. */
  reload(): Promise<void>;
  stop(): void;
}

/**
 * @param read reads the files @throws StartError
 * @param use applies a pair to all connections that begin afterwards
 * @param now ms since 1970
 */
export function careForKeys(
  first: KeyPair,
  read: () => Promise<KeyPair>,
  use: (keys: KeyPair) => void,
  { log, now = Date.now }: { readonly log: Log; readonly now?: () => number },
): KeyCare {
  let current = first;
  const look = () => {
    const end = endOf(current);
    const validUntil = new Date(end).toISOString();
    if (end <= now()) log.error({ validUntil }, "the certificate has expired");
    else if (end - now() < noticeMs) log.warn({ validUntil }, "the certificate expires soon");
  };
  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return {
    async reload() {
      try {
        const keys = await read();
        if (keys.key !== current.key || keys.cert !== current.cert) {
          use(keys);
          current = keys;
          log.info({ validUntil: new Date(endOf(keys)).toISOString() }, "certificate reloaded");
        }
      } catch (error) {
        log.error({ error }, "the certificate could not be reloaded; keeping the current one");
      }
      look();
    },
    stop: () => clearInterval(timer),
  };
}

/** Expiry (ms since 1970) of the first certificate, the server's own. */
const endOf = ({ cert }: KeyPair): number => Date.parse(new X509Certificate(cert).validTo);
