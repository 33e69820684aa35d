/** hail's options: those of Ganeti's hail in the order of its usage text, and ours. */
import { type Example, type Option, reads } from "../option.js";
import { choice, commaList } from "../option-values.js";
import { ignoreSoftErrors, noCapacityChecks } from "../options/balancing.js";
import { ignoreDynu, mond, mondData, mondXen } from "../options/loading.js";
import { printNodes, save, verbose } from "../options/output.js";
import { simulate, staticKvmNodeMemory, textData } from "../options/sources.js";
import type { HailSettings } from "./settings.js";

export const options: readonly Option<HailSettings>[] = [
  printNodes,
  save,
  textData,
  simulate,
  verbose,
  ignoreDynu,
  ignoreSoftErrors,
  noCapacityChecks,
  {
    long: "restrict-allocation-to",
    argument: { name: "NODE,..." },
    completes: "manynodes",
    description: "Restrict allocations to the given set of nodes",
    apply: reads("restrictTo", commaList),
  },
  mond,
  mondXen,
  staticKvmNodeMemory,
];

export const extensions: readonly Option<HailSettings>[] = [
  {
    long: "explain",
    argument: { name: "FORMAT", optional: true },
    completes: "choices=text,json",
    description:
      "explain the answer on stderr, with the changes that would help; FORMAT is text or json",
    apply: (settings, text = "text") => {
      settings.explain = choice(text, ["text", "json"]);
    },
  },
  {
    ...mondData,
    description: "with --mond, read the reports from FILE instead of querying the nodes",
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
