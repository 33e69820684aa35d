/** A refusal by a Ganeti master: which of its error classes, with what, and in which words. */
import { isJson, type Json, quoted, quotedList } from "@ganeti-ts/protocol";

/** Ganeti's classes that hold a text. */
const textClasses =
  `GenericError LockError PidFileLockError HypervisorError ProgrammerError BlockDeviceError
  ConfigurationError ReservationError RemoteError SignatureError ParameterError
  ResultValidationError OpExecError OpResultError OpCodeUnknown JobLost JobFileCorrupted
  HooksFailure UnitParseError ParseError TypeEnforcementError TagError CommandError StorageError
  InotifyError JobQueueError JobQueueDrainError ConfdMagicError ConfdClientError UdpDataSizeError
  NoCtypesError IPAddressError LuxiError QueryFilterParseError RapiTestResult FileStoragePathError`.split(
    /\s+/,
  );

/** Arguments of each of Ganeti's error classes; other names are no classes of Ganeti. */
const classes: Readonly<Record<string, readonly ("text" | "number" | "texts" | "hooks")[]>> = {
  ...Object.fromEntries(textClasses.map((name) => [name, ["text"] as const])),
  ConfigVerifyError: ["text", "texts"],
  ConfigVersionMismatch: ["number", "number"],
  OpPrereqError: ["text", "text"],
  ResolverError: ["text", "number", "text"],
  HooksAbort: ["hooks"],
  X509CertError: ["text", "text"],
  JobQueueFull: [],
};

/** Names of the codes in the second value of an OpPrereqError, as texts show them. */
const codeNames: Readonly<Record<string, string>> = {
  resolver_error: "ECodeResolver",
  insufficient_resources: "ECodeNoRes",
  temp_insufficient_resources: "ECodeTempNoRes",
  wrong_input: "ECodeInval",
  wrong_state: "ECodeState",
  unknown_entity: "ECodeNoEnt",
  already_exists: "ECodeExists",
  resource_not_unique: "ECodeNotUnique",
  internal_error: "ECodeFault",
  environment_error: "ECodeEnviron",
};

/**
 * `code` is Ganeti's name of the class (`JobQueueFull`), `values` what it holds, and `message` the
 * text that Ganeti's programs print of it. Source: Ganeti, Errors.hs.
 */
export class GanetiError extends Error {
  override readonly name = "GanetiError";
  readonly code: string;
  readonly values: readonly unknown[];

  constructor(code: string, values: readonly unknown[], options?: ErrorOptions) {
    super(errorText(code, values), options);
    this.code = code;
    this.values = values;
  }
}

/** Whether a class of this name exists and holds such values. */
export function isGanetiError(code: string, values: unknown): values is readonly unknown[] {
  const kinds = Object.hasOwn(classes, code) ? classes[code] : undefined;
  if (kinds === undefined || !Array.isArray(values) || values.length !== kinds.length) return false;
  return kinds.every((kind, index) => {
    const value: unknown = values[index];
    if (kind === "text") return typeof value === "string";
    if (kind === "number") return typeof value === "number";
    if (kind === "texts") return isList(value, (item) => typeof item === "string");
    return isList(value, (item) => isList(item, (part) => typeof part === "string"));
  });
}

/** Classes that only Ganeti's Python programs know, with any values. */
const pythonClasses: readonly string[] = [
  "HotplugError",
  "AddressPoolError",
  "OpRetryNotSupportedError",
  "DeviceCreationError",
  "JobCanceled",
  "SshUpdateError",
];

/** Whether Ganeti's Python programs can make an error of this class. */
export const isGanetiErrorClass = (code: string): boolean =>
  Object.hasOwn(classes, code) || pythonClasses.includes(code);

/**
 * The error as it travels: `[class, [value…]]`. If a client could not read the class or the values,
 * the text as a GenericError: Haskell's clients accept exactly the values of a class, and Python's
 * `QueryFilterParseError` cannot be made of one text.
 */
export function encodeGanetiError({ code, values }: GanetiError): Json {
  const readable =
    code !== "QueryFilterParseError" &&
    (isGanetiError(code, values) || (pythonClasses.includes(code) && isJson(values)));
  if (readable) return [code, [...values] as Json];
  return ["GenericError", [values.map(String).join(" ") || code]];
}

const isList = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);

function errorText(code: string, values: readonly unknown[]): string {
  const text = String(values[0] ?? "");
  switch (code) {
    case "ConfigurationError":
      return `Corrupt configuration file: ${text}\nAborting.`;
    case "ConfigVerifyError": {
      const details = listOf(values[1])
        .map((line) => `${line}\n`)
        .join("");
      return `Corrupt configuration file: ${text}\nAborting. Details:\n${details}`;
    }
    case "HooksAbort":
      return hooksText(listOf(values[0]).map((failure) => listOf(failure).map(String)));
    case "HooksFailure":
      return `Failure: hooks general failure: ${text}`;
    case "ResolverError":
      return `Failure: can't resolve hostname ${text}`;
    case "OpPrereqError": {
      const type = codeNames[String(values[1])] ?? String(values[1]);
      // Results of jobs often lack the code.
      const kind = values.length > 1 ? `error type: ${type}, error details:\n` : "";
      return `Failure: prerequisites not met for this operation:\n${kind}${text}`;
    }
    case "OpExecError":
      return `Failure: command execution error:\n${text}`;
    case "TagError":
      return `Failure: invalid tag(s) given:\n${text}`;
    case "JobQueueDrainError":
      return "Failure: the job queue is marked for drain and doesn't accept new requests";
    case "JobQueueFull":
      return "Failure: the job queue is full and doesn't accept new job submissions until old jobs are archived";
    case "TypeEnforcementError":
      return `Parameter Error: ${text}`;
    case "ParameterError":
      return `Failure: unknown/wrong parameter name '${text}'`;
    case "JobLost":
      return `Error checking job status: ${text}`;
    case "QueryFilterParseError":
      return `Error while parsing query filter: ${text}`;
    case "GenericError":
      return `Unhandled Ganeti error: ${text}`;
    default:
      return `Unhandled exception: ${[code, ...values.map(shown)].join(" ")}`;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function hooksText(failures: readonly (readonly string[])[]): string {
  const lines = failures.map(([node, script, output]) => {
    const told = output ? `, output: ${output}` : " (no output)";
    return `  node: ${node}, script: ${script}${told}\n`;
  });
  return `Failure: hooks execution failed:\n${lines.join("")}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return quotedList(value.map(String));
  return Number(value) < 0 ? `(${value})` : String(value);
}
