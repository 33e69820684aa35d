/** State of simulated nodes in a PostgreSQL database, shared by all servers of a cluster. */
import { keptStates, type NodeStates, NodeStatesError } from "@ganeti-ts/simulated-nodes";
import { openSharedTexts, type SharedTextsOptions, type Texts } from "./shared-texts.js";

/** Options of `openPostgresNodeStates`. */
type PostgresNodeStatesOptions = SharedTextsOptions;

/**
 * Creates the table if necessary. Calls to a node are serialised among all servers. A saved state survives
 * the death of any server; a crash of the database's machine may lose the last ones.
 */
export async function openPostgresNodeStates(
  options: PostgresNodeStatesOptions = {},
): Promise<NodeStates & { close(): Promise<void> }> {
  const texts = await openSharedTexts(options);
  let saveNow: (changed: Texts) => void = () => {};
  return {
    load: async () => keptStates(await texts.load()),
    save: (changed) => saveNow(changed),
    async alone(adopt, act) {
      let bug: unknown;
      try {
        return await texts.turn(
          (changed) => adopt(keptStates(changed)),
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
