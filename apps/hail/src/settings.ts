/** Settings of options that several programs share; each program adds its own. */

const defaults = {
  /** 1, plus one for every `-v`, minus one for every `-q`. */
  verbosity: 1,

  // Source of the cluster.
  /** Address of the cluster's remote API; empty: none. */
  master: "",
  /** Path of the socket of Ganeti's master daemon; empty: it is searched for. */
  luxi: undefined as string | undefined,
  /** Data directory of the server whose socket is searched for. */
  dataDir: undefined as string | undefined,
  /** A text file. */
  textData: undefined as string | undefined,
  /** Specifications of a simulated cluster. */
  simulate: [] as readonly string[],
  /** A file with an allocator message. */
  iallocSource: undefined as string | undefined,

  // Loading.
  /** Replaces the node's own memory on KVM; 0: as reported. */
  staticKvmNodeMemoryMib: 4096,
  /** A file of loads by instance. */
  utilisationFile: undefined as string | undefined,
  ignoreUtilisation: false,
  mond: false,
  mondXen: false,
  /** File of reports, used instead of querying the monitoring daemons. */
  mondData: undefined as string | undefined,
  /** Fails unless every node reported. */
  mondRequired: false,
  exclusionPrefixes: [] as readonly string[],
  selectInstances: [] as readonly string[],
  excludeInstances: [] as readonly string[],

  // Changes to its nodes after loading.
  offline: [] as readonly string[],
  vcpuRatio: undefined as number | undefined,
  reservedDiskRatio: 0,

  // Output.
  /** Fields of the node tables; undefined: no tables. */
  printNodes: undefined as readonly string[] | undefined,
  printInstances: false,
  /** Name, without suffix, of the files for saved states. */
  save: undefined as string | undefined,
  machineReadable: false,
  headers: true,
  /** One JSON document instead of text. */
  json: false,
  /** File for the HTML page about the result. */
  html: undefined as string | undefined,
  /** Bar view of the cluster instead of the tables. */
  view: false,

  // Limits of the moves.
  /** Name or UUID of the only group to consider. */
  group: undefined as string | undefined,
  ignoreSoftErrors: false,
  capacityChecks: true,
  evacuationMode: false,
  diskMoves: true,
  instanceMoves: true,
  /** Maximum number of steps or allocations; negative: no limit. */
  lengthMax: -1,
  minScore: 1e-9,
  minGain: 0.01,
  minGainLimit: 0.1,

  // Execution.
  /** File for the commands, or `-` for stdout; undefined: not requested. */
  printCommands: undefined as string | undefined,
  execute: false,
  reason: undefined as string | undefined,
};

export type Settings = typeof defaults;

export const defaultSettings = (): Settings => ({ ...defaults });
