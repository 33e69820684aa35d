/** The state of simulated nodes in a PostgreSQL database, so that all servers of a cluster have the same nodes. */
import { type NodeStates, NodeStatesError, parsedStates } from "@ganeti-ts/simulated-nodes";
import { openSharedTexts, type SharedTextsOptions, type Texts } from "./shared-texts.js";

/** Options of `openPostgresNodeStates`. */
export type PostgresNodeStatesOptions = SharedTextsOptions;

/**
 * Makes the table first where there is none. Each call to a node is a turn of all servers. A state that has been saved
 * outlives every server; a crash of the database's machine may cost the last ones.
 */
export async function openPostgresNodeStates(
  options: PostgresNodeStatesOptions = {},
): Promise<NodeStates & { close(): Promise<void> }> {
  const texts = await openSharedTexts(options);
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
    close: () => texts.close(),
  };
}
