/** gnt-job: jobs of the queue. */
import { anyNumber, atLeastOne, one, programOf } from "../command.js";
import { listFieldsCommand } from "../commands/list-fields-command.js";
import { flag } from "../options/kinds.js";
import { filter, force, headers, output, priority, verbose } from "../options/shared.js";

const pending = flag("pending", "Jobs that have not ended and do not run");
const queued = flag("queued", "Jobs that wait for their turn");
const waiting = flag("waiting", "Jobs that wait for locks");

export const program = programOf("gnt-job", "Job commands", {
  list: {
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
    examples: {
      "gnt-job list --running": "running and waiting jobs",
      "gnt-job list 'id > 100 and status == \"error\"'": "recent failed jobs",
      "gnt-job list -o +received_ts,priority": "with two additional columns",
    },
    load: async () => (await import("../commands/lists.js")).jobs,
  },
  "list-fields": listFieldsCommand("job", "jobs", "[<fields>...]", {
    "gnt-job list-fields": "fields for -o of the command list",
  }),
  archive: {
    summary: "Archive specified jobs",
    usage: "<job-id> [<job-id>...]",
    arguments: atLeastOne("job"),
    examples: { "gnt-job archive 12 13": "remove ended jobs from the queue and from lists" },
    load: async () => (await import("../commands/job/changes.js")).archive,
  },
  autoarchive: {
    summary: "Auto archive jobs older than the given age",
    usage: "<age>",
    arguments: [{ kind: "text", min: 1, max: 1, choices: ["1d", "1w", "4w", "all"] }],
    examples: { "gnt-job autoarchive 1w": "jobs that ended more than a week ago" },
    load: async () => (await import("../commands/job/changes.js")).autoArchive,
  },
  cancel: {
    summary: "Cancel jobs",
    usage:
      "{[--force] [--kill --yes-do-it] {--pending | --queued | --waiting} | <job-id> [<job-id>...]}",
    arguments: anyNumber("job"),
    options: [
      force,
      flag("kill", "Also end jobs that run, in the middle of what they do"),
      ...[pending, queued, waiting],
      flag("yes-do-it", "Confirm the use of --kill", { aliases: ["ya-rly"] }),
    ],
    examples: {
      "gnt-job cancel 12": "a job that has not started",
      "gnt-job cancel --queued": "all queued jobs, after a confirmation",
    },
    load: async () => (await import("../commands/job/changes.js")).cancel,
  },
  info: {
    aliases: ["show"],
    summary: "Show detailed information about the specified jobs",
    usage: "<job-id> [<job-id>...]",
    arguments: atLeastOne("job"),
    examples: { "gnt-job info 12": "opcodes with parameters, results and messages" },
    load: async () => (await import("../commands/job/info.js")).info,
  },
  wait: {
    summary: "Wait for a job to finish",
    usage: "<job-id>",
    arguments: one("job"),
    examples: { "gnt-job wait 12 && echo done": "exit code 0 only for success" },
    load: async () => (await import("../commands/job/watch.js")).wait,
  },
  watch: {
    summary: "Follows a job and prints its output as it arrives",
    usage: "<job-id>",
    arguments: one("job"),
    examples: { "gnt-job watch 12": "Ctrl-C does not stop the job" },
    load: async () => (await import("../commands/job/watch.js")).watch,
  },
  why: {
    summary: "Shows why a job does not run",
    usage: "<job-id>",
    arguments: one("job"),
    examples: { "gnt-job why 12": "rules, dependencies, limits, and locks with their owners" },
    load: async () => (await import("../commands/job/info.js")).why,
  },
  "change-priority": {
    summary: "Change the priority of jobs",
    usage:
      "--priority <priority> {[--force] {--pending | --queued | --waiting} | <job-id> [<job-id>...]}",
    arguments: anyNumber("job"),
    options: [priority, force, pending, queued, waiting],
    examples: { "gnt-job change-priority --priority=high 12": "let the job start next" },
    load: async () => (await import("../commands/job/changes.js")).changePriority,
  },
});
