import { expect, test } from "vitest";
import { readCommandLine } from "./command-line.js";
import { hail } from "./hail/program.js";
import { type HailSettings, hailDefaults } from "./hail/settings.js";

const read = (...argv: string[]) => {
  const settings = hailDefaults();
  return { ...readCommandLine(hail, argv, settings), settings };
};
const settingsOf = (...argv: string[]): HailSettings => read(...argv).settings;
const textOf = (...argv: string[]): string => {
  const result = read(...argv);
  return "text" in result ? result.text : "";
};

// The whole list as Ganeti's hail prints it.
const originalUsage = `hail (ganeti) version 3.0.2-3
Usage: hail [OPTION...]
  -p[FIELDS]  --print-nodes[=FIELDS]             print the final node list
  -S FILE     --save=FILE                        Save cluster state at the end of the processing to FILE
  -t FILE     --text-data=FILE                   the cluster data FILE
              --simulate=SPEC                    simulate an empty cluster, given as 'alloc_policy,num_nodes,disk,ram,cpu'
  -v          --verbose                          increase the verbosity level
              --ignore-dynu                      Ignore any dynamic utilisation information
              --ignore-soft-errors               Ignore any soft restrictions in balancing
              --no-capacity-checks               disable capacity checks (like global N+1 redundancy)
              --restrict-allocation-to=NODE,...  Restrict allocations to the given set of nodes
              --mond[=CHOICE]                    pass either 'yes' or 'no' to query all monDs
              --mond-xen                         also consider xen-specific collectors in MonD queries
              --static-kvm-node-memory=N         use static node memory [in MB] on KVM instead of value reported by hypervisor. Use 0 to take value reported from hypervisor.
  -V          --version                          show the version of the program
  -h          --help                             show help
              --help-completion                  show completion info
`;

test("the usage text is the original's, followed by our options", () => {
  const usage = textOf("-h");
  expect(usage.startsWith(`${originalUsage}\nBeyond Ganeti's hail:\n`)).toBe(true);
  expect(usage).toContain("--mond-data=FILE");
  expect(usage).toContain("\nExamples:\n  hail request.json ");
});

test("the first version line is the original's, the second is our own", () => {
  const [first, second] = textOf("-V").split("\n");
  expect(first).toBe("hail (ganeti) version 3.0.2-3");
  expect(second).toMatch(/^ganeti-ts \d+\.\d+\.\d+ on node \d/);
});

test("the completion list has a line per option and one for the operand", () => {
  const lines = textOf("--help-completion").split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "-p,--print-nodes none",
    "-S,--save none",
    "-t,--text-data file",
  ]);
  expect(lines).toContain("--mond choices=yes,no");
  expect(lines.slice(-2)).toEqual(["file 1 1", ""]);
});

test("--help wins over --version in any order", () => {
  expect(textOf("--help-completion", "-V")).toBe(textOf("-V"));
  expect(textOf("-V", "-h")).toBe(textOf("-h"));
});

test("syntax faults are reported before everything else, with the usage and exit code 2", () => {
  expect(read("-h", "--bogus", "--mond=x")).toMatchObject({
    kind: "refuse",
    exitCode: 2,
    text: expect.stringMatching(/^Command line error: unrecognized option `--bogus'\n\nhail \(/),
  });
});

test("the first bad value is reported before any help, with exit code 1", () => {
  expect(read("-h", "--static-kvm-node-memory=x", "--mond=y")).toMatchObject({
    kind: "refuse",
    exitCode: 1,
    text: "Error while parsing command line arguments:\nstatic node memory: cannot parse string 'x'\n",
  });
});

test.each<[string[], Partial<HailSettings>]>([
  [[], {}],
  [["-v", "--verbose"], { verbosity: 3 }],
  [["-S", "a", "--save=b"], { save: "b" }],
  [["-tx"], { textData: "x" }],
  [["--simulate=p,1", "--simulate", "u,2"], { simulate: ["p,1", "u,2"] }],
  [["--ignore-dynu", "--ignore-soft"], { ignoreUtilisation: true, ignoreSoftErrors: true }],
  [["--no-cap"], { capacityChecks: false }],
  [["--restrict=a,b"], { restrictTo: ["a", "b"] }],
  [["--restrict="], { restrictTo: [] }],
  [["--mond=no", "--mond"], { mond: true }],
  [["--mond-"], { mondXen: true }],
  [["--mond-d=f"], { mondData: "f" }],
  [["--static-kvm-node-memory=0x10"], { staticKvmNodeMemoryMib: 16 }],
  [["-pname,idx"], { printNodes: ["name", "idx"] }],
])("the command line %j sets %j", (argv, expected) => {
  expect(settingsOf(...argv)).toEqual({ ...hailDefaults(), ...expected });
});

test("the fields option takes defaults, additions, or a list of its own", () => {
  const defaults = settingsOf("-p").printNodes ?? [];
  expect(defaults).toHaveLength(22);
  expect(settingsOf("-p+idx,fqdn").printNodes).toEqual([...defaults, "idx", "fqdn"]);
  expect(settingsOf("-p+").printNodes).toEqual(defaults);
  expect(settingsOf("-p,").printNodes).toEqual(["", ""]);
});
