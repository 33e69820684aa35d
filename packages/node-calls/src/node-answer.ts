/** Answers of nodes. */

/**
 * `message` is for people, in Ganeti's words. A failed call may still have had its effect; every
 * call is safe to repeat unless the catalog says otherwise.
 */
export type NodeAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The call was not sent because the configuration marks the node as offline. */
      readonly offline: boolean;
      readonly message: string;
    };

/** The answer of a successful call. */
export const answered = <T>(value: T): NodeAnswer<T> => ({ ok: true, value });

/** The answer of a failed call, with Ganeti's or the node's message. */
export const failed = (message: string): NodeAnswer<never> => ({
  ok: false,
  offline: false,
  message,
});

/** The answer for a node marked offline. */
export const markedOffline: NodeAnswer<never> = {
  ok: false,
  offline: true,
  message: "Node is marked offline",
};
