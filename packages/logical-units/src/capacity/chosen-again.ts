/** whileRefused: repeats an allocator's choice that the fresh figures of the chosen nodes refuse. */
import { NoRoomError } from "./demand.js";

/** Maximum number of choices. */
const choicesMax = 10;

/**
 * Result of `attempt`, which chooses nodes and checks their room before anything has an effect. It is repeated as long as its
 * refusals differ, since the next choice knows the figures by which nodes refused this one.
 * @param isChosen whether an allocator chooses: nodes that a user has named are tried once
 */
export async function whileRefused<T>(isChosen: boolean, attempt: () => Promise<T>): Promise<T> {
  let refusal = "";
  for (let choice = 1; ; choice++) {
    try {
      return await attempt();
    } catch (error) {
      const isNew = error instanceof NoRoomError && error.message !== refusal;
      if (!isChosen || !isNew || choice >= choicesMax) throw error;
      refusal = error.message;
    }
  }
}
