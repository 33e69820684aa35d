/** Settings of options that several programs share; each program adds its own. */
export interface Settings {
  /** 1, plus one for every `-v`, minus one for every `-q`. */
  verbosity: number;

  // Source of the cluster.
  /** Address of the cluster's remote API; empty: none. */
  master: string;
  /** Path of the socket of Ganeti's master daemon; empty: it is searched for. */
  luxi: string | undefined;
  /** Data directory of the server whose socket is searched for. */
  dataDir: string | undefined;
  /** A text file. */
  textData: string | undefined;
  /** Specifications of a simulated cluster. */
  simulate: readonly string[];
  /** A file with an allocator message. */
  iallocSource: string | undefined;

  // Loading.
  /** Replaces the node's own memory on KVM; 0: as reported. */
  staticKvmNodeMemoryMib: number;
  /** A file of loads by instance. */
  utilisationFile: string | undefined;
  ignoreUtilisation: boolean;
  mond: boolean;
  mondXen: boolean;
  /** File of reports, used instead of querying the monitoring daemons. */
  mondData: string | undefined;
  /** Fails unless every node reported. */
  mondRequired: boolean;
  exclusionPrefixes: readonly string[];
  selectInstances: readonly string[];
  excludeInstances: readonly string[];

  // Changes to its nodes after loading.
  offline: readonly string[];
  vcpuRatio: number | undefined;
  reservedDiskRatio: number;

  // Output.
  /** Fields of the node tables; undefined: no tables. */
  printNodes: readonly string[] | undefined;
  printInstances: boolean;
  /** Name, without suffix, of the files for saved states. */
  save: string | undefined;
  machineReadable: boolean;
  headers: boolean;
  /** One JSON document instead of text. */
  json: boolean;
  /** File for the HTML page about the result. */
  html: string | undefined;
  /** Bar view of the cluster instead of the tables. */
  view: boolean;

  // Limits of the moves.
  /** Name or UUID of the only group to consider. */
  group: string | undefined;
  ignoreSoftErrors: boolean;
  capacityChecks: boolean;
  evacuationMode: boolean;
  diskMoves: boolean;
  instanceMoves: boolean;
  /** Maximum number of steps or allocations; negative: no limit. */
  lengthMax: number;
  minScore: number;
  minGain: number;
  minGainLimit: number;

  // Execution.
  /** File for the commands, or `-` for stdout; undefined: not requested. */
  printCommands: string | undefined;
  execute: boolean;
  reason: string | undefined;
}

export const defaultSettings = (): Settings => ({
  verbosity: 1,
  master: "",
  luxi: undefined,
  dataDir: undefined,
  textData: undefined,
  simulate: [],
  iallocSource: undefined,
  staticKvmNodeMemoryMib: 4096,
  utilisationFile: undefined,
  ignoreUtilisation: false,
  mond: false,
  mondXen: false,
  mondData: undefined,
  mondRequired: false,
  exclusionPrefixes: [],
  selectInstances: [],
  excludeInstances: [],
  offline: [],
  vcpuRatio: undefined,
  reservedDiskRatio: 0,
  printNodes: undefined,
  printInstances: false,
  save: undefined,
  machineReadable: false,
  headers: true,
  json: false,
  html: undefined,
  view: false,
  group: undefined,
  ignoreSoftErrors: false,
  capacityChecks: true,
  evacuationMode: false,
  diskMoves: true,
  instanceMoves: true,
  lengthMax: -1,
  minScore: 1e-9,
  minGain: 0.01,
  minGainLimit: 0.1,
  printCommands: undefined,
  execute: false,
  reason: undefined,
});
