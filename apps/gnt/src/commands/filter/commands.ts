/** The commands of gnt-filter. */
import { anyNumber, type Command, type Option, one } from "../../command.js";
import { flag, integer, text } from "../../options/kinds.js";
import { headers, output, verbose, wide } from "../../options/shared.js";
import { listFieldsCommand } from "../list-fields-command.js";

/** Predicates in the readable language of filters. */
const readable: readonly Option[] = [
  {
    name: "jobs",
    type: "text",
    repeatable: true,
    placeholder: "FILTER",
    help: "Filter for jobs: 'id > \"watermark\"' stands for jobs newer than the rule",
  },
  {
    name: "opcodes",
    type: "text",
    repeatable: true,
    placeholder: "FILTER",
    help: "Filter for opcodes, one of which must match: 'OP_ID == \"OP_INSTANCE_CREATE\"'",
  },
  {
    name: "reasons",
    type: "text",
    repeatable: true,
    placeholder: "FILTER",
    help: "Filter for reasons, one of which must match: 'reason =~ m/^nightly/'",
  },
];

const predicates: Option = {
  name: "predicates",
  type: "json",
  placeholder: "JSON",
  help: "Predicates as a JSON list, each with a kind and a filter",
};

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

export const filterCommands: readonly Command[] = [
  {
    name: "add",
    summary: "Adds a new filter rule",
    usage: "",
    arguments: [],
    options: parts,
    examples: [
      {
        line: "gnt-filter add --action=PAUSE --opcodes='OP_ID =~ m/^OP_INSTANCE_/' --reason='switch maintenance'",
        does: "pauses all jobs about instances",
      },
      {
        line: "gnt-filter add --action='RATE_LIMIT 2' --reasons='reason =~ m/^nightly/'",
        does: "limits nightly jobs to two at a time",
      },
      {
        line: "gnt-filter add --action=REJECT --jobs='id > \"watermark\"'",
        does: "drains the queue softly: queued jobs continue, new ones are refused",
      },
    ],
    load: async () => (await import("./changes.js")).add,
  },
  {
    name: "list",
    summary:
      'Lists the job filter rules. The available fields can be shown using the "list-fields" command (see the man page for details). The default list is (in order): uuid, watermark, priority, predicates, action, reason_trail.',
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    options: [...headers, wide, output, verbose],
    examples: [{ line: "gnt-filter list", does: "all rules" }],
    load: async () => (await import("./queries.js")).rules,
  },
  listFieldsCommand({
    kind: "filter",
    things: "filters",
    usage: "[<fields>...]",
    example: { line: "gnt-filter list-fields", does: "fields for -o of the command list" },
  }),
  {
    name: "info",
    summary: "Shows information about the filter(s)",
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    options: [],
    examples: [{ line: "gnt-filter info", does: "all rules, with their authors and reasons" }],
    load: async () => (await import("./queries.js")).info,
  },
  {
    name: "replace",
    summary: "Replaces a filter",
    usage: "<filter-uuid>",
    arguments: one("filter"),
    options: parts,
    examples: [
      {
        line: "gnt-filter replace --action=CONTINUE 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42",
        does: "disables the rule; all its parts are replaced",
      },
    ],
    load: async () => (await import("./changes.js")).replace,
  },
  {
    name: "delete",
    summary: "Removes a filter",
    usage: "<filter-uuid>",
    arguments: one("filter"),
    options: [],
    examples: [
      {
        line: "gnt-filter delete 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42",
        does: "releases the jobs that it held",
      },
    ],
    load: async () => (await import("./changes.js")).remove,
  },
  {
    name: "explain",
    summary: "Describes the rules in words, in the order of their evaluation",
    usage: "[<filter-uuid>...]",
    arguments: anyNumber("filter"),
    options: [],
    examples: [{ line: "gnt-filter explain", does: "effects on jobs, and the responsible rules" }],
    load: async () => (await import("./queries.js")).explain,
  },
  {
    name: "test",
    summary: "Lists the jobs that an existing or a hypothetical rule matches",
    usage:
      "{[--jobs FILTER] [--opcodes FILTER] [--reasons FILTER] [--predicates JSON] | <filter-uuid>}",
    arguments: [{ kind: "filter", min: 0, max: 1 }],
    options: [predicates, ...readable, flag("all", "Include jobs that have ended"), ...headers],
    examples: [
      {
        line: "gnt-filter test --opcodes='instance_name == \"web1.example.com\"'",
        does: "jobs in the queue about that instance",
      },
      {
        line: "gnt-filter test --all 7834e5b1-1fd5-4ef7-9547-337f0a3a8b42",
        does: "jobs that the rule matches, including ended ones",
      },
    ],
    load: async () => (await import("./test.js")).run,
  },
];
