/** URL of a remote API from the address of `-m`; HTTPS wherever the server speaks it. */

/** Base of the URLs, before `/2/…`: a host alone means HTTPS on Ganeti's port. */
export const rapiBase = (address: string): string =>
  address.includes(":") ? address : `https://${address}:5080`;

/** A complete URL, with a line for stderr if it was chosen because the server does not speak TLS. */
export interface RapiUrl {
  readonly url: string;
  readonly note?: string;
}

/**
 * The base as a URL. Without a scheme a TLS handshake decides: HTTP only if a server answers it with something
 * else than TLS. A server that cannot be reached is left to the first request, which reports it.
 */
export async function rapiUrl(base: string): Promise<RapiUrl> {
  if (/^\w+:\/\//.test(base)) return { url: base };
  const secure = `https://${base}`;
  if (!URL.canParse(secure) || (await speaksTls(new URL(secure)))) return { url: secure };
  const { host } = new URL(secure);
  const note = `Note: ${host} does not speak TLS, using http. Name it http://${host} to choose that.\n`;
  return { url: `http://${base}`, note };
}

/** Time limit (ms) of the handshake; a server that stays silent for longer counts as one that speaks TLS. */
const handshakeMs = 5_000;

async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const { connect } = await import("node:tls");
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    // As for the requests themselves: Ganeti's programs do not verify certificates.
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(handshakeMs, () => end(true));
    socket.on("secureConnect", () => end(true));
    // OpenSSL's word for bytes that are not TLS; an unreachable server is no reason to send anything in the clear.
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      end(code !== "ERR_SSL_WRONG_VERSION_NUMBER");
    });
  });
}
