/** Simulated nodes in the database of a cluster, so that all of its servers have the same ones. */
import { type NodeStates, NodeStatesError, parsedStates } from "@ganeti-ts/simulated-nodes";
import type { SharedTexts, Texts } from "@ganeti-ts/store/postgres";

/** Each call of a server is a turn of all of them. */
export function nodeStatesIn(texts: SharedTexts): NodeStates {
  let saveNow: (changed: Texts) => void = () => {};
  return {
    load: async () => parsedStates(await texts.load()),
    save: (changed) => saveNow(changed),
    async alone(adopt, act) {
      let bug: unknown;
      try {
        return await texts.turn(
          (changed) => adopt(parsedStates(changed)),
          (save) => {
            saveNow = save;
            try {
              return act();
            } catch (error) {
              bug = error;
              throw error;
            }
          },
        );
      } catch (error) {
        if (error === bug) throw error;
        throw new NodeStatesError((error as Error).message, { cause: error });
      }
    },
  };
}
