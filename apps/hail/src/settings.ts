/** What the options ask for that several programs have; each program adds its own. */
export interface Settings {
  /** 1, one more for every `-v`, one less for every `-q`. */
  verbosity: number;

  // Where the cluster is read from.
  /** Address of the cluster's remote API; empty: none. */
  master: string;
  /** Path of the socket of Ganeti's master daemon. */
  luxi: string | undefined;
  /** A text file. */
  textData: string | undefined;
  /** Specifications of a simulated cluster. */
  simulate: readonly string[];
  /** A file with an allocator message. */
  iallocSource: string | undefined;

  // How it is loaded.
  /** Replaces the node's own memory on KVM; 0: as reported. */
  staticKvmNodeMemoryMib: number;
  /** A file of loads by instance. */
  utilisationFile: string | undefined;
  ignoreUtilisation: boolean;
  mond: boolean;
  mondXen: boolean;
  /** A file of reports, in place of asking the monitoring daemons. */
  mondData: string | undefined;
  /** Gives up unless every node reported. */
  mondRequired: boolean;
  exclusionPrefixes: readonly string[];
  selectInstances: readonly string[];
  excludeInstances: readonly string[];

  // What is changed about its nodes then.
  offline: readonly string[];
  vcpuRatio: number | undefined;
  reservedDiskRatio: number;

  // What is printed and kept.
  /** Fields of the node tables; undefined: no tables. */
  printNodes: readonly string[] | undefined;
  printInstances: boolean;
  /** Name, without suffix, of the files that keep states. */
  save: string | undefined;
  machineReadable: boolean;
  headers: boolean;
  /** One JSON document in place of the text. */
  json: boolean;
  /** A file for the page about the outcome. */
  html: string | undefined;
  /** Something to look at in place of the text. */
  view: boolean;

  // What may be done with the cluster.
  /** Name or UUID of the only group to look at. */
  group: string | undefined;
  ignoreSoftErrors: boolean;
  capacityChecks: boolean;
  evacuationMode: boolean;
  diskMoves: boolean;
  instanceMoves: boolean;
  /** Steps or allocations at most; negative: no limit. */
  lengthMax: number;
  minScore: number;
  minGain: number;
  minGainLimit: number;

  // Whether it is done.
  /** A file for the commands, or `-` for stdout; undefined: nobody wants them. */
  printCommands: string | undefined;
  execute: boolean;
  reason: string | undefined;
}

export const defaultSettings = (): Settings => ({
  verbosity: 1,
  master: "",
  luxi: undefined,
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
