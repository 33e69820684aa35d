/** Copies of the job queue on master candidates, as Ganeti's own master keeps them. */
import * as z from "zod";
import { call, Done, list, object } from "../call.js";

export const queueCalls = {
  /** Writes a file below the queue directory; `path` is absolute. */
  jobqueue_update: call("urgent", "same", Done, { path: z.string(), content: z.string() }),
  /** One null for each pair. */
  jobqueue_rename: call("urgent", "same", list(z.null()), {
    renames: list(object({ from: z.string(), to: z.string() })),
  }),
  /** Removes all job files, archived ones too. */
  jobqueue_purge: call("normal", "same", Done),
  jobqueue_set_drain_flag: call("urgent", "same", Done, { drained: z.boolean() }),
};
