/** useAnswer: hail's answer to the form, updated while the user types. */
import {
  type Capacity,
  capacityFor,
  explained,
  type InstanceAnswer,
} from "../../api/explanation.js";
import { type Answering, useQuestion } from "../../parts/use-question.js";

/** The placement of the instance, and then the number of equal instances that fit. */
interface Answered {
  readonly answer: InstanceAnswer;
  readonly capacity?: Capacity;
}

export type LiveAnswer = Answering<Answered>;

/** Maximum number of instances counted. */
export const countMax = 200;

/** The answer to `question`, requested again when `epoch` changes; undefined sends no request. */
export const useAnswer = (question: object | undefined, epoch: number): LiveAnswer =>
  useQuestion<Answered>(question && JSON.stringify(question), epoch, async (signal, tell) => {
    const asked = question ?? {};
    const answer = await explained(asked, signal);
    tell({ answer });
    if (answer.to.length === 0) return;
    tell({ answer, capacity: await capacityFor(asked, countMax, signal) });
  });
