// hinfo prints what Ganeti's prints.
import { hinfo } from "../src/hinfo/program.js";
import { describeAsOriginal } from "./as-original.js";

const reports = JSON.stringify(
  Array.from({ length: 8 }, (_, at) => ({
    node: `node${at}`,
    reports: [
      {
        name: "cpu-avg-load",
        version: "B",
        format_version: 1,
        timestamp: 1,
        category: null,
        kind: 0,
        data: { cpu_number: 2, cpus: [0.1, 0.2], cpu_total: 0.3 + at },
      },
    ],
  })),
);

describeAsOriginal(
  hinfo,
  [
    ["-t", "cluster"],
    ["-vvt", "cluster"],
    ["-vvv", "--print-instances", "-t", "cluster"],
    ["-p", "-t", "cluster", "-O", "node0"],
    ["-p+idx,amem,plist,slist,ptags,peermap", "-v", "-t", "cluster"],
    ["-pfqdn,hi_spindles,inst_spindles,spindle_count", "--ignore-dynu", "-qt", "cluster"],
    ["--mond", "--mond-data=reports", "-p+cload", "--print-instances", "-t", "cluster"],
    ["-t", "cluster", "-O", "no", "-O", "node1"],
    ["-t", "missing"],
    ["-t", "cluster", "further"],
  ],
  { recorded: 3, fresh: 2 },
  { reports },
);
