/** asciiQueue: a queue that refuses values on which Ganeti's own daemons would break. */
import { nonAsciiPlaces } from "@ganeti-ts/config";
import { QueueError } from "@ganeti-ts/job-queue";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { ClusterQueue } from "../queue/cluster-queue.js";
import { submitFaultless } from "../queue/submit-faultless.js";

const faultIn = (value: unknown): string | undefined => {
  const places = nonAsciiPlaces(value);
  if (places.length === 0) return undefined;
  return `Ganeti cannot store characters outside of ASCII; found in: ${places.join(", ")}`;
};

/** @throws QueueError `wrong_input` */
function mustBeAscii(value: unknown): void {
  const fault = faultIn(value);
  if (fault !== undefined) throw new QueueError("wrong_input", fault);
}

/** `acknowledged` is waited for after each submission, before the number of the job is returned. */
export function asciiQueue(queue: ClusterQueue, acknowledged: () => Promise<void>): ClusterQueue {
  const submitted =
    (submit: (opcodes: readonly JsonObject[]) => ReturnType<ClusterQueue["submit"]>) =>
    async (opcodes: readonly JsonObject[]) => {
      mustBeAscii(opcodes);
      const id = await submit(opcodes);
      await acknowledged();
      return id;
    };
  const own: Partial<ClusterQueue> = {
    submit: submitted((opcodes) => queue.submit(opcodes)),
    submitToDrained: submitted((opcodes) => queue.submitToDrained(opcodes)),
    async submitMany(jobs) {
      const answers = await submitFaultless(jobs, faultIn, (some) => queue.submitMany(some));
      await acknowledged();
      return answers;
    },
    async addRule(body: Json) {
      mustBeAscii(body);
      return queue.addRule(body);
    },
    async replaceRule(uuid, body) {
      mustBeAscii(body);
      return queue.replaceRule(uuid, body);
    },
  };
  // All other members, including getters, are those of the queue itself.
  return Object.assign(Object.create(queue) as ClusterQueue, own);
}
