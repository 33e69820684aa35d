/** Difference between the output of a command line on our server and its recording. */
export interface Difference {
  readonly commands: RegExp;
  readonly why: string;
  /** The lines that may differ: one that only the recording has, or only our output. */
  readonly lines: readonly RegExp[];
}

const order = /^the order of the lines$/;

/** The cluster itself is not the same one: its machines, and what was done to it before. */
const otherCluster: readonly Difference[] = [
  {
    commands: /^gnt-node list\b|^gnt-node list-storage --/,
    why: "simulated machines have memory and disk space of their own",
    lines: [/^\w+: 1 Node +(DTotal|Type)/, /^\w+: 1 node\d\.example\.com[ :][\d:.\w/ -]+$/],
  },
  {
    commands: /^gnt-cluster verify/,
    why: "the recorded machines lack /proc/sysrq-trigger; inst30 and others had come and gone",
    lines: [
      /^(theirs: exit 1|ours: exit 0)$/,
      /^theirs: 1 DATE {3}- ERROR:? ?(ENODESETUP:)?node.*node setup error: The procfs/,
      /^\w+: 1 DATE {3}- NOTICE: \d non-redundant instance/,
      order,
    ],
  },
  {
    commands: /^gnt-cluster info/,
    why: "paths below the recorded virtual cluster; parameters of later versions",
    lines: [
      /^\w+: 1 {3}(shared file|gluster) storage path:/,
      /^ours: 1 {5}(stripe_size: 0|user-id:)$/,
    ],
  },
  {
    commands: /^gnt-instance info|^gnt-network info/,
    why: "serial numbers count each change once; items without an order of their own",
    lines: [/^\w+: 1 +Serial number: \d+$/, order],
  },
  {
    commands: /^gnt-job list|^gnt-job info 9/,
    why: "other jobs had run before the recording; they took longer",
    lines: [
      /^\w+: 1 +(ID +Status|\d+ (success|error|running|waiting|canceled|-) )/,
      /^theirs: 1 \?\?$/,
      /^\w+: 1 Received +Start/,
      /^\w+: 1 {3}(Processing (start|end)|Total)/,
    ],
  },
  {
    commands: /^gnt-backup list$/,
    why: "the recorded nodes could not list their exports",
    lines: [/^\w+: 1 Node +Export$/, /^theirs: 1 node\d\.example\.com \?$/],
  },
  {
    commands: /^gnt-backup export/,
    why: "the recorded node had no folder for exports",
    lines: [
      /^(theirs: exit 1|ours: exit 0)$/,
      /^theirs: 1 DATE {2}- WARNING: Could not finalize export/,
      /^theirs: 2 (Failure: command execution error:|Export failed, errors in export finalization)$/,
      /^ours: 1 DATE Removing old exports/,
    ],
  },
  {
    commands: /^gnt-cluster command/,
    why: "it uses ssh, which the tests have no host for",
    lines: [/^\w+: 1 return code = \d+$/],
  },
];

/** Sets of Python and UUIDs have another order in each run. */
const noOrder: readonly Difference[] = [
  {
    commands: /-t nosuch|list-storage$|be\/vcpus < 2/,
    why: "the order of a set of Python",
    lines: [
      /\(choose from |\(supported |specify one of the supported|Unknown regular expression flags/,
    ],
  },
  {
    commands: /^gnt-filter list|^gnt-group list|^gnt-network (list|info)/,
    why: "the order of UUIDs, and the widths that follow from a rule's time",
    lines: [
      order,
      /^\w+: 1 (UUID \d+ |UUID +Watermark)/,
      /^\w+: 1 default UUID +2 /,
      /^\w+: 1 net1 .*\(bridged, xen-br0, \)/,
    ],
  },
];

/** Our server differs on purpose; documented with the reason where the package is. */
const onPurpose: readonly Difference[] = [
  {
    commands: /^gnt-debug delay 0\.01$/,
    why: "a drained queue is refused with the class of error that exists for it",
    lines: [
      /^theirs: 2 Unhandled Ganeti error: Queue drained$/,
      /^ours: 2 Failure: the job queue is marked for drain and doesn't accept new requests$/,
    ],
  },
  {
    commands: /^gnt-cluster version$/,
    why: "the version of the program",
    lines: [/^\w+: 1 VCS version: /],
  },
  {
    commands: /^gnt-node modify -C yes/,
    why: "the log tells of the configuration after the change, not before it",
    lines: [/^theirs: 1 DATE Configuration data is not consistent: Not enough master candidates/],
  },
  {
    commands: /^gnt-instance (list|info)/,
    why: "a reservation has no values that only its commit decides",
    lines: [/^\w+: 1 inst6\.example\.com[ ,]/, /^\w+: 1 {3}Hypervisor: (fake|None)$/],
  },
  {
    commands: /^gnt-instance start --all/,
    why: "the refusal has its code",
    lines: [/^ours: 2 error type: wrong_state, error details:$/],
  },
  {
    commands: /^gnt-job change-priority --priority=(low|high)/,
    why: "jobs have no processes; a finished job is said to be finished",
    lines: [
      /^theirs: 1 Job N with pid \d+ signaled$/,
      /^ours: 1 Priorities of pending opcodes for job N have been changed to 10$/,
      /^theirs: 1 Job N not found in queue$/,
      /^ours: 1 Job N is finished$/,
    ],
  },
  {
    commands: /^gnt-job info/,
    why: "an opcode stays as it was submitted",
    lines: [/^\w+: 1 {9,}\S/],
  },
  {
    commands: /^gnt-job (info|cancel) 160$/,
    why: "an operation that waits for its locks is in no lock",
    lines: [/^\w+: 1 {3}(Processing|Total)/, /^\w+: 1 {7}(Processing|Execution)/],
  },
  {
    commands: /^gnt-group info$/,
    why: "parameters of later versions; limits in the order in which they were given",
    lines: [
      /^ours: 1 +(stripe_size|user-id): default \(.*\)$/,
      /^\w+: 1 +(- )?(min|max)\/0:$/,
      order,
    ],
  },
  {
    commands: /^gnt-((instance|group|network) add|job watch) /,
    why: "jobs tell the UUID of what they have created",
    lines: [/^ours: 1 DATE Created \w+ \S+, UUID UUID$/],
  },
  {
    commands: /^gnt-group remove default$/,
    why: "nodes are named",
    lines: [/^\w+: 2 Group 'default' not empty, has the following nodes: /],
  },
  {
    commands: /^gnt-group evacuate g2$/,
    why: "the reason is told",
    lines: [/^ours: [12] (DATE {2}- WARNING: )?Unable to evacuate instances inst4/],
  },
  {
    commands: /^gnt-debug iallocator/,
    why: "an allocation may leave the disk template open; the excluded nodes are told",
    lines: [
      /^(theirs: exit 1|ours: exit 0)$/,
      /^theirs: 2 (Failure: prerequisites not met|error type: wrong_input|Request parameter 'disk_template')/,
      /^\w+: [12] ?(\{.*\})?$/,
      /^ours: 2 (Failure: command execution error:|Failure while running the iallocator script:)/,
    ],
  },
];

export const differences: readonly Difference[] = [...otherCluster, ...noOrder, ...onPurpose];
