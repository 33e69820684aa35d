import { lookup, lookupService } from "node:dns/promises";
import { connect } from "node:net";
import type { Resolver } from "@ganeti-ts/node-calls";

/** Texts of the C library for errors for which Node.js has other texts. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "Name or service not known",
  EAI_AGAIN: "Temporary failure in name resolution",
};

const aliveTimeoutMs = 10_000;

/** Resolver that uses the name resolution and the network of this machine. */
export const systemResolver: Resolver = {
  async resolve(name) {
    try {
      const { address, family } = await lookup(name);
      const full = await lookupService(address, 0).catch(() => undefined);
      // The name from the reverse lookup is the full name if it only adds a domain.
      const { hostname = name } = full ?? {};
      return {
        ok: true,
        ip: address,
        name: family !== 0 && hostname.startsWith(`${name}.`) ? hostname : name,
      };
    } catch (error) {
      const { code = "", errno = -2, message } = error as NodeJS.ErrnoException;
      return { ok: false, code: errno, reason: reasons[code] ?? message };
    }
  },

  isAlive: (ip, port) =>
    new Promise((resolve) => {
      const socket = connect({ host: ip, port, timeout: aliveTimeoutMs });
      const end = (alive: boolean) => {
        socket.destroy();
        resolve(alive);
      };
      socket.on("connect", () => end(true));
      socket.on("timeout", () => end(false));
      // A refused connection shows that the host is up.
      socket.on("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED"));
    }),
};
