/** Copies of the job queue on master candidates, as Ganeti's own master keeps them. */
import * as z from "zod";
import { call, Done, list, Nothing, object } from "../call.js";

export const queueCalls = {
  /** Writes a file below the queue directory; `path` is absolute. */
  jobqueue_update: call(
    ...(["urgent", "same"] as const),
    object({ path: z.string(), content: z.string() }),
    Done,
  ),
  /** One null for each pair. */
  jobqueue_rename: call(
    ...(["urgent", "same"] as const),
    object({ renames: list(object({ from: z.string(), to: z.string() })) }),
    list(z.null()),
  ),
  /** Removes all job files, archived ones too. */
  jobqueue_purge: call("normal", "same", Nothing, Done),
  jobqueue_set_drain_flag: call("urgent", "same", object({ drained: z.boolean() }), Done),
};
