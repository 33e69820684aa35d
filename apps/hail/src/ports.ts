/** What hail needs from the world; tests give their own. */
export interface Ports {
  /** The bytes of a file. Throws the system's error, with its `code`. */
  readonly readFile: (path: string) => Uint8Array;
  readonly readStdin: () => Uint8Array;
  readonly writeFile: (path: string, text: string) => void;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether who reads stderr is to see colours: a terminal, and NO_COLOR is not set. */
  readonly wantsColour: () => Promise<boolean>;
  /** The body of a successful answer; undefined if there was none. Never rejects. */
  readonly httpGet: (url: string) => Promise<string | undefined>;
}
