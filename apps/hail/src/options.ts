/** hail's options: those of Ganeti's hail in the order of its usage text, and ours. */
import { readInteger } from "@ganeti-ts/htools";
import type { Example } from "./command-line.js";
import type { Option } from "./getopt.js";
import { tableFields } from "./node-table.js";
import { choice, commaList, yesOrNo } from "./option-values.js";
import type { Settings } from "./settings.js";

export const options: readonly Option<Settings>[] = [
  {
    short: "p",
    long: "print-nodes",
    argument: { name: "FIELDS", optional: true },
    description: "print the final node list",
    apply: (settings, text = "") => {
      settings.printNodes = tableFields(text);
    },
  },
  {
    short: "S",
    long: "save",
    argument: { name: "FILE" },
    description: "Save cluster state at the end of the processing to FILE",
    apply: (settings, text) => {
      settings.save = text;
    },
  },
  {
    short: "t",
    long: "text-data",
    argument: { name: "FILE" },
    completes: "file",
    description: "the cluster data FILE",
    apply: (settings, text) => {
      settings.textData = text;
    },
  },
  {
    long: "simulate",
    argument: { name: "SPEC" },
    completes: "string",
    description: "simulate an empty cluster, given as 'alloc_policy,num_nodes,disk,ram,cpu'",
    apply: (settings, text = "") => {
      settings.simulate = [...settings.simulate, text];
    },
  },
  {
    short: "v",
    long: "verbose",
    description: "increase the verbosity level",
    apply: (settings) => {
      settings.verbosity++;
    },
  },
  {
    long: "ignore-dynu",
    description: "Ignore any dynamic utilisation information",
    apply: (settings) => {
      settings.ignoreUtilisation = true;
    },
  },
  {
    long: "ignore-soft-errors",
    description: "Ignore any soft restrictions in balancing",
    apply: (settings) => {
      settings.ignoreSoftErrors = true;
    },
  },
  {
    long: "no-capacity-checks",
    description: "disable capacity checks (like global N+1 redundancy)",
    apply: (settings) => {
      settings.capacityChecks = false;
    },
  },
  {
    long: "restrict-allocation-to",
    argument: { name: "NODE,..." },
    completes: "manynodes",
    description: "Restrict allocations to the given set of nodes",
    apply: (settings, text) => {
      settings.restrictTo = commaList(text);
    },
  },
  {
    long: "mond",
    argument: { name: "CHOICE", optional: true },
    completes: "choices=yes,no",
    description: "pass either 'yes' or 'no' to query all monDs",
    apply: (settings, text) => {
      settings.mond = yesOrNo(text);
    },
  },
  {
    long: "mond-xen",
    description: "also consider xen-specific collectors in MonD queries",
    apply: (settings) => {
      settings.mondXen = true;
    },
  },
  {
    long: "static-kvm-node-memory",
    argument: { name: "N" },
    completes: "integer",
    description:
      "use static node memory [in MB] on KVM instead of value reported by hypervisor. " +
      "Use 0 to take value reported from hypervisor.",
    apply: (settings, text = "") => {
      settings.staticKvmNodeMemoryMib = readInteger(text, "static node memory");
    },
  },
];

export const extensions: readonly Option<Settings>[] = [
  {
    long: "explain",
    argument: { name: "FORMAT", optional: true },
    completes: "choices=text,json",
    description:
      "say on stderr why the answer is what it is, and what would help; FORMAT is text or json",
    apply: (settings, text = "text") => {
      settings.explain = choice(text, ["text", "json"]);
    },
  },
  {
    long: "mond-data",
    argument: { name: "FILE" },
    completes: "file",
    description: "with --mond, take the reports from FILE instead of the nodes",
    apply: (settings, text) => {
      settings.mondData = text;
    },
  },
];

export const examples: readonly Example[] = [
  { words: "request.json", meaning: "answer a request" },
  { words: "-", meaning: "answer the request on standard input" },
  { words: "--explain request.json", meaning: "and say why, and what would help" },
  { words: "--explain=json request.json", meaning: "the same for programs, on stderr" },
  { words: "-p request.json", meaning: "and show the nodes before and after" },
  { words: "-p+plist,slist request.json", meaning: "with the instances on them" },
  { words: "-v request.json", meaning: "and say how the request was understood" },
  {
    words: "--no-capacity-checks request.json",
    meaning: "even if the cluster cannot lose a node then",
  },
  { words: "-S state request.json", meaning: "and keep state.pre-ialloc and state.post-ialloc" },
  { words: "-t cluster.data request.json", meaning: "place it on the cluster of a text file" },
  { words: "--simulate=p,20,1t,64g,16 request.json", meaning: "place it on 20 empty nodes" },
];
