/** Resources about configuration queries: address of the listener, and renewal of the key. */
import * as z from "zod";
import { type Method, type Resource, resource } from "./resource.js";

const Confd = z.object({
  /** UDP address of this server's listener; null if it has none. */
  listening: z.object({ address: z.string(), port: z.int() }).nullable(),
});

const state: Method = {
  summary: "Where this server answers configuration queries (confd)",
  access: "read",
  answer: Confd,
  handle: (_, { confd }) => ({ listening: confd.bound() }),
};

const renewKey: Method = {
  summary: "Replaces the key that signs configuration queries by a new one",
  access: "full",
  answer: z.null(),
  handle: async ({ user }, { confd, log, record }) => {
    await confd.renewKey();
    await record("confd key", { done: true, text: "a new key" });
    log.info({ user: user?.name ?? "owner" }, "renewed the key of configuration queries");
    return null;
  },
};

export const confdResources: readonly Resource[] = [
  resource("/ganeti-ts/1/confd", { GET: state }),
  resource("/ganeti-ts/1/confd/key", { PUT: renewKey }),
];
