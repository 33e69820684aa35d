/** hail's answer to a question that changes as it is typed. */
import {
  type Capacity,
  capacityFor,
  explained,
  type InstanceAnswer,
} from "../../api/explanation.js";
import { type Answering, useQuestion } from "../../parts/use-question.js";

/** Where the instance would go, and then how many of its kind. */
interface Answered {
  readonly answer: InstanceAnswer;
  readonly capacity?: Capacity;
}

export type LiveAnswer = Answering<Answered>;

/** Number up to which further instances are counted. */
export const countMax = 200;

/** The answer to `question`, asked again when `epoch` changes; undefined asks nothing. */
export const useAnswer = (question: object | undefined, epoch: number): LiveAnswer =>
  useQuestion<Answered>(question, epoch, async (asked, signal, tell) => {
    const answer = await explained(asked, signal);
    tell({ answer });
    if (answer.to.length === 0) return;
    tell({ answer, capacity: await capacityFor(asked, countMax, signal) });
  });
