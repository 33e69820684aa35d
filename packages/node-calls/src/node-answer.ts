/** What comes back from a node. */

/**
 * `message` is for people, in Ganeti's words. A call that failed may still have had its effect: who
 * repeats it finds every call ready for that.
 */
export type NodeAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The node was not asked: the configuration says that it is offline. */
      readonly offline: boolean;
      readonly message: string;
    };

export const answered = <T>(value: T): NodeAnswer<T> => ({ ok: true, value });

export const failed = (message: string): NodeAnswer<never> => ({
  ok: false,
  offline: false,
  message,
});

/** The answer of a node that is not asked. */
export const markedOffline: NodeAnswer<never> = {
  ok: false,
  offline: true,
  message: "Node is marked offline",
};
