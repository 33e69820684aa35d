/** What hail's options ask for. */
export interface Settings {
  /** Fields of the node tables; undefined: no tables. */
  printNodes: readonly string[] | undefined;
  /** Name, without suffix, of the files that keep the state before and after. */
  save: string | undefined;
  /** A text file that replaces the request's cluster. */
  textData: string | undefined;
  /** Specifications of a simulated cluster that replaces the request's; wins over `textData`. */
  simulate: readonly string[];
  /** 1, and one more for every `-v`. */
  verbosity: number;
  ignoreUtilisation: boolean;
  ignoreSoftErrors: boolean;
  capacityChecks: boolean;
  /** Full names of the only nodes to allocate on. */
  restrictTo: readonly string[] | undefined;
  mond: boolean;
  mondXen: boolean;
  /** A file of reports, in place of asking the monitoring daemons. */
  mondData: string | undefined;
  /** Replaces the node's own memory on KVM; 0: as reported. */
  staticKvmNodeMemoryMib: number;
  /** Why the answer is what it is, for people or for programs. */
  explain: "text" | "json" | undefined;
}

export const defaultSettings = (): Settings => ({
  printNodes: undefined,
  save: undefined,
  textData: undefined,
  simulate: [],
  verbosity: 1,
  ignoreUtilisation: false,
  ignoreSoftErrors: false,
  capacityChecks: true,
  restrictTo: undefined,
  mond: false,
  mondXen: false,
  mondData: undefined,
  staticKvmNodeMemoryMib: 4096,
  explain: undefined,
});
