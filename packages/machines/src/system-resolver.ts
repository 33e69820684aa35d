import { lookup, lookupService } from "node:dns/promises";
import { connect } from "node:net";
import type { Resolver } from "@ganeti-ts/node-calls";

/** Texts of the C library for errors that Node words differently. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "Name or service not known",
  EAI_AGAIN: "Temporary failure in name resolution",
};

const aliveTimeoutMs = 10_000;

/** Names and addresses as this machine's resolver and network know them. */
export const systemResolver: Resolver = {
  async resolve(name) {
    try {
      const { address, family } = await lookup(name);
      const full = await lookupService(address, 0).catch(() => undefined);
      // A name that its address leads back to is the full one, if it only adds a domain.
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
      // A refused connection shows that something is there.
      socket.on("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED"));
    }),
};
