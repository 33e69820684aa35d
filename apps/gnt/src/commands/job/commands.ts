/** The commands of gnt-job. */
import { anyNumber, atLeastOne, type Command, one } from "../../command.js";
import { flag } from "../../options/kinds.js";
import { filter, force, headers, output, priority, verbose } from "../../options/shared.js";
import { listFieldsCommand } from "../list-fields-command.js";

const pending = flag("pending", "Jobs that have not ended and do not run");
const queued = flag("queued", "Jobs that wait for their turn");
const waiting = flag("waiting", "Jobs that wait for locks");

export const jobCommands: readonly Command[] = [
  {
    name: "list",
    summary:
      'Lists the jobs and their status. The available fields can be shown using the "list-fields" command (see the man page for details). The default field list is (in order): id, status, summary.',
    usage: "[<job-id>...]",
    arguments: anyNumber("job"),
    options: [
      ...[...headers, output, verbose, filter, pending],
      flag("running", "Jobs that run"),
      flag("error", "Jobs that failed"),
      flag("finished", "Jobs that have ended, well or not"),
      flag("archived", "Archived jobs too"),
    ],
    examples: [
      { line: "gnt-job list --running", does: "running and waiting jobs" },
      { line: "gnt-job list 'id > 100 and status == \"error\"'", does: "recent failed jobs" },
      { line: "gnt-job list -o +received_ts,priority", does: "with two additional columns" },
    ],
    load: async () => (await import("./list.js")).run,
  },
  listFieldsCommand({
    kind: "job",
    things: "jobs",
    usage: "[<fields>...]",
    example: { line: "gnt-job list-fields", does: "fields for -o of the command list" },
  }),
  {
    name: "archive",
    summary: "Archive specified jobs",
    usage: "<job-id> [<job-id>...]",
    arguments: atLeastOne("job"),
    options: [],
    examples: [
      { line: "gnt-job archive 12 13", does: "remove ended jobs from the queue and from lists" },
    ],
    load: async () => (await import("./changes.js")).archive,
  },
  {
    name: "autoarchive",
    summary: "Auto archive jobs older than the given age",
    usage: "<age>",
    arguments: [{ kind: "text", min: 1, max: 1, choices: ["1d", "1w", "4w", "all"] }],
    options: [],
    examples: [{ line: "gnt-job autoarchive 1w", does: "jobs that ended more than a week ago" }],
    load: async () => (await import("./changes.js")).autoArchive,
  },
  {
    name: "cancel",
    summary: "Cancel jobs",
    usage:
      "{[--force] [--kill --yes-do-it] {--pending | --queued | --waiting} | <job-id> [<job-id>...]}",
    arguments: anyNumber("job"),
    options: [
      force,
      flag("kill", "Also end jobs that run, in the middle of what they do"),
      ...[pending, queued, waiting],
      { name: "yes-do-it", aliases: ["ya-rly"], type: "flag", help: "Confirm the use of --kill" },
    ],
    examples: [
      { line: "gnt-job cancel 12", does: "a job that has not started" },
      { line: "gnt-job cancel --queued", does: "all queued jobs, after a confirmation" },
    ],
    load: async () => (await import("./changes.js")).cancel,
  },
  {
    name: "info",
    aliases: ["show"],
    summary: "Show detailed information about the specified jobs",
    usage: "<job-id> [<job-id>...]",
    arguments: atLeastOne("job"),
    options: [],
    examples: [{ line: "gnt-job info 12", does: "opcodes with parameters, results and messages" }],
    load: async () => (await import("./info.js")).run,
  },
  {
    name: "wait",
    summary: "Wait for a job to finish",
    usage: "<job-id>",
    arguments: one("job"),
    options: [],
    examples: [{ line: "gnt-job wait 12 && echo done", does: "exit code 0 only for success" }],
    load: async () => (await import("./watch.js")).wait,
  },
  {
    name: "watch",
    summary: "Follows a job and prints its output as it arrives",
    usage: "<job-id>",
    arguments: one("job"),
    options: [],
    examples: [{ line: "gnt-job watch 12", does: "Ctrl-C does not stop the job" }],
    load: async () => (await import("./watch.js")).watch,
  },
  {
    name: "why",
    summary: "Shows why a job does not run",
    usage: "<job-id>",
    arguments: one("job"),
    options: [],
    examples: [
      { line: "gnt-job why 12", does: "rules, dependencies, limits, and locks with their owners" },
    ],
    load: async () => (await import("./why.js")).run,
  },
  {
    name: "change-priority",
    summary: "Change the priority of jobs",
    usage:
      "--priority <priority> {[--force] {--pending | --queued | --waiting} | <job-id> [<job-id>...]}",
    arguments: anyNumber("job"),
    options: [priority, force, pending, queued, waiting],
    examples: [
      { line: "gnt-job change-priority --priority=high 12", does: "let the job start next" },
    ],
    load: async () => (await import("./changes.js")).changePriority,
  },
];
