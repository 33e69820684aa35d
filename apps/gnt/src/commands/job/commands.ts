/** The commands of gnt-job. */
import type { Command, Option } from "../../command.js";
import { filter, headers, output, verbose } from "../../options/shared.js";

const selecting: readonly Option[] = [
  { name: "pending", type: "flag", help: "Jobs that have not ended and do not run" },
  { name: "running", type: "flag", help: "Jobs that run" },
  { name: "error", type: "flag", help: "Jobs that failed" },
  { name: "finished", type: "flag", help: "Jobs that have ended, well or not" },
  { name: "archived", type: "flag", help: "Archived jobs too" },
];

export const jobCommands: readonly Command[] = [
  {
    name: "list",
    summary:
      'Lists the jobs and their status. The available fields can be shown using the "list-fields" command (see the man page for details). The default field list is (in order): id, status, summary.',
    usage: "[<job-id>...]",
    arguments: [{ kind: "job", min: 0, max: Number.POSITIVE_INFINITY }],
    options: [...headers, output, verbose, filter, ...selecting],
    examples: [
      { line: "gnt-job list --running", does: "what the cluster is doing now" },
      { line: "gnt-job list 'id > 100 and status == \"error\"'", does: "which late jobs failed" },
      { line: "gnt-job list -o +received_ts,priority", does: "with two more columns" },
    ],
    load: () => import("./list.js"),
  },
];
