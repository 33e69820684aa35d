// Resolver of a simulated cluster: every name resolves, and no address answers.
import type { Resolver } from "@ganeti-ts/node-calls";

export const resolver: Resolver = {
  resolve: async (name) => ({ ok: true, name, ip: "192.0.2.99" }),
  isAlive: async () => false,
};
