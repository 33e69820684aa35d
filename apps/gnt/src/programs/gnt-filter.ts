/** gnt-filter: rules that hold, refuse or throttle jobs. */
import { anyNumber, type Option, one, programOf } from "../command.js";
import { listFieldsCommand } from "../commands/list-fields-command.js";
import { flag, integer, json, text } from "../options/kinds.js";
import { headers, output, verbose, wide } from "../options/shared.js";

/** Predicates in the readable language of filters. */
const readable: readonly Option[] = [
  text(
    "jobs",
    "FILTER",
    "Filter for jobs: 'id > \"watermark\"' stands for jobs newer than the rule",
    { repeatable: true },
  ),
  text(
    "opcodes",
    "FILTER",
    "Filter for opcodes, one of which must match: 'OP_ID == \"OP_INSTANCE_CREATE\"'",
    { repeatable: true },
  ),
  text(
    "reasons",
    "FILTER",
    "Filter for reasons, one of which must match: 'reason =~ m/^nightly/'",
    { repeatable: true },
  ),
];

const predicates = json(
  "predicates",
  "JSON",
  "Predicates as a JSON list, each with a kind and a filter",
);

const parts: readonly Option[] = [
  integer("priority", "Rules with a lower priority are evaluated first; default 0"),
  predicates,
  ...readable,
  text(
    "action",
    "A",
    'ACCEPT, PAUSE, REJECT, CONTINUE (default), or "RATE_LIMIT n": n such jobs at a time',
  ),
];

export const program = programOf("gnt-filter", "Job filter rule commands", {
  add: {
    summary: "Adds a new filter rule",
    options: parts,
    examples: {
      "gnt-filter add --action=PAUSE --opcodes='OP_ID =~ m/^OP_INSTANCE_/' --reason='switch maintenance'":
        "pauses all jobs about instances",
      "gnt-filter add --action='RATE_LIMIT 2' --reasons='reason =~ m/^nightly/'":
        "limits nightly jobs to two at a time",
      "gnt-filter add --action=REJECT --jobs='id > \"watermark\"'":
        "drains the queue softly: queued jobs continue, new ones are refused",
    },
    load: async () => (await import("../commands/filter/changes.js")).add,
  },
  list: {
    summary:
      'Lists the job filter rules. The available fields can be shown using the "list-fields" command (see the man page for details). The default list is (in order): uuid, watermark, priority, predicates, action, reason_trail.',
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    options: [...headers, wide, output, verbose],
    examples: { "gnt-filter list": "all rules" },
    load: async () => (await import("../commands/filter/queries.js")).rules,
  },
  "list-fields": listFieldsCommand("filter", "filters", "[<fields>...]", {
    "gnt-filter list-fields": "fields for -o of the command list",
  }),
  info: {
    summary: "Shows information about the filter(s)",
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    examples: { "gnt-filter info": "all rules, with their authors and reasons" },
    load: async () => (await import("../commands/filter/queries.js")).info,
  },
  replace: {
    summary: "Replaces a filter",
    usage: "<filter-uuid>",
    arguments: one("filter"),
    options: parts,
    examples: {
      "gnt-filter replace --action=CONTINUE 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42":
        "disables the rule; all its parts are replaced",
    },
    load: async () => (await import("../commands/filter/changes.js")).replace,
  },
  delete: {
    summary: "Removes a filter",
    usage: "<filter-uuid>",
    arguments: one("filter"),
    examples: {
      "gnt-filter delete 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42": "releases the jobs that it held",
    },
    load: async () => (await import("../commands/filter/changes.js")).remove,
  },
  explain: {
    summary: "Describes the rules in words, in the order of their evaluation",
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    examples: { "gnt-filter explain": "effects on jobs, and the responsible rules" },
    load: async () => (await import("../commands/filter/queries.js")).explain,
  },
  test: {
    summary: "Lists the jobs that an existing or a hypothetical rule matches",
    usage:
      "{[--jobs FILTER] [--opcodes FILTER] [--reasons FILTER] [--predicates JSON] | <filter-uuid>}",
    arguments: [{ kind: "filter", min: 0, max: 1 }],
    options: [predicates, ...readable, flag("all", "Include jobs that have ended"), ...headers],
    examples: {
      "gnt-filter test --opcodes='instance_name == \"web1.example.com\"'":
        "jobs in the queue about that instance",
      "gnt-filter test --all 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42":
        "jobs that the rule matches, including ended ones",
    },
    load: async () => (await import("../commands/filter/test.js")).run,
  },
});
