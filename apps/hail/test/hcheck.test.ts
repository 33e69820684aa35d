// hcheck prints what Ganeti's prints.
import { hcheck } from "../src/hcheck/program.js";
import { describeAsOriginal } from "./as-original.js";

describeAsOriginal(
  hcheck,
  [
    ["-t", "cluster"],
    ["--machine-readable", "-t", "cluster"],
    ["--machine-readable", "--no-capacity-checks", "-O", "node0", "-t", "cluster"],
    ["-vEt", "cluster", "-O", "node1"],
    ["--no-simulation", "-t", "cluster"],
    ["-q", "-t", "cluster"],
    ["-q", "--machine-readable=yes", "-l", "1", "-t", "cluster"],
    ["--no-disk-moves", "--max-cpu=0.5", "--min-disk=0.5", "-t", "cluster"],
    ["--no-instance-moves", "--ignore-soft-errors", "-g", "0.5", "-t", "cluster"],
    ["-e", "2", "--min-gain-limit=100", "-g0.3", "--ignore-dynu", "-t", "cluster"],
    ["-U", "loads", "--exclude-instances=inst0", "--exclusion-tags=rack", "-t", "cluster"],
    ["--select-instances=nobody", "-t", "cluster"],
  ],
  { recorded: 3, fresh: 2 },
  { loads: "inst1 0.5 2 3 4\ninst2 2 2 2 2\n" },
);
