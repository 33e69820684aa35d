/** Errors of file operations, worded as Ganeti's programs word them. */

/** `message` names the file: `x: openFile: does not exist (No such file or directory)`. */
export class FileError extends Error {
  override readonly name = "FileError";
  /** Error code of the operating system, such as `ENOENT`. */
  readonly code: string;

  constructor(code: string, message: string, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** By error code: the kind of failure as Haskell names it, and the system's own text. */
const failures: Readonly<Record<string, readonly [kind: string, text: string]>> = {
  EACCES: ["permission denied", "Permission denied"],
  EBUSY: ["resource busy", "Device or resource busy"],
  EFBIG: ["resource exhausted", "File too large"],
  EIO: ["hardware fault", "Input/output error"],
  EISDIR: ["inappropriate type", "Is a directory"],
  ELOOP: ["invalid argument", "Too many levels of symbolic links"],
  EMFILE: ["resource exhausted", "Too many open files"],
  ENAMETOOLONG: ["invalid argument", "File name too long"],
  ENOENT: ["does not exist", "No such file or directory"],
  ENOSPC: ["resource exhausted", "No space left on device"],
  ENOTDIR: ["inappropriate type", "Not a directory"],
  ENXIO: ["does not exist", "No such device or address"],
  EPERM: ["permission denied", "Operation not permitted"],
  EROFS: ["permission denied", "Read-only file system"],
  ERR_FS_FILE_TOO_LARGE: ["resource exhausted", "File too large"],
  ETXTBSY: ["resource busy", "Text file busy"],
};

/** Runs `action` and returns its result; a system error is rethrown as a FileError about `path`. */
export function onFile<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { code = "", syscall = "", message } = error as NodeJS.ErrnoException;
    if (!syscall && !failures[code]) throw error;
    const [kind, text] = failures[code] ?? ["failed", message];
    // Opening a directory succeeds and only the read fails; Ganeti's programs already fail to open it.
    const readsDirectory = code === "EISDIR" && syscall === "read";
    const step = readsDirectory ? "openFile" : (steps[syscall] ?? "openFile");
    const detail = readsDirectory ? "is a directory" : text;
    throw new FileError(code, `${path}: ${step}: ${kind} (${detail})`, { cause: error });
  }
}

const steps: Readonly<Record<string, string>> = { read: "hGetContents", write: "hClose" };

/** Decodes the bytes of a file, which must be UTF-8. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const text = `${path}: hGetContents: invalid argument (invalid byte sequence)`;
    throw new FileError("EILSEQ", text, { cause: error });
  }
}
