/** Options of DRBD from the parameters of a disk. */
import { NodeFailure } from "../../failure.js";
import type { Mirror } from "./mirror.js";

type Params = Mirror["params"];

export const drbdParameters = [
  ...["resync-rate", "disabled-barriers", "disable-meta-flush", "default-metavg", "disk-custom"],
  ...["net-custom", "protocol", "dynamic-resync", "c-plan-ahead", "c-fill-target"],
  ...["c-delay-target", "c-max-rate", "c-min-rate"],
] as const;

const text = (params: Params, name: (typeof drbdParameters)[number]): string =>
  String(params[name] ?? "");

/** Letters of `disabled-barriers`, in the order of the options. */
const barriers = { f: "--disk-flushes=no", d: "--disk-drain=no", b: "--disk-barrier=no" };
const barrierSets: ReadonlySet<string> = new Set(["n", "b", "d", "f", "bd", "bf", "df", "bdf"]);

/** Options of attach. */
export function diskWords({ params, sizeMib }: Mirror): readonly string[] {
  const letters = [...new Set(text(params, "disabled-barriers"))].sort();
  if (!barrierSets.has(letters.join(""))) {
    const shown = letters.map((letter) => `'${letter}'`).join(", ");
    throw new NodeFailure(`frozenset({${shown}}) is not a valid option set for DRBD barriers`);
  }
  return [
    "--on-io-error=detach",
    ...(sizeMib === 0 ? [] : ["--size", `${sizeMib}m`]),
    ...(params["disable-meta-flush"] === true ? ["--md-flushes=no"] : []),
    ...Object.entries(barriers).flatMap(([letter, word]) =>
      letters.includes(letter) ? [word] : [],
    ),
    ...shellWords(text(params, "disk-custom")),
  ];
}

/** Options of disk-options: the rate of synchronisations. */
export function syncWords({ params }: Mirror): readonly string[] {
  if (params["dynamic-resync"] !== true) return ["--resync-rate", text(params, "resync-rate")];
  if (Number(params["c-plan-ahead"]) === 0) {
    throw new NodeFailure(
      "A value of 0 for c-plan-ahead disables the dynamic sync speed controller at DRBD level. If you want to disable it, please set the dynamic-resync disk parameter to False.",
    );
  }
  const names = ["c-plan-ahead", "c-fill-target", "c-delay-target", "c-max-rate", "c-min-rate"];
  return names.flatMap((name) => [`--${name}`, String(params[name])]);
}

/** Options of connect. While both sides may be primary, only protocol C is safe. */
export function netWords({ params, secret }: Mirror, isDual: boolean): readonly string[] {
  return [
    ...["--protocol", isDual ? "C" : text(params, "protocol")],
    ...["--after-sb-0pri", "discard-zero-changes", "--after-sb-1pri", "consensus"],
    ...(isDual ? ["--allow-two-primaries"] : []),
    ...(secret === null ? [] : ["--cram-hmac-alg", "md5", "--shared-secret", secret]),
    ...shellWords(text(params, "net-custom")),
  ];
}

const part = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/sy;

/** Words of the text; throws NodeFailure for an unterminated quotation. */
export function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) throw new NodeFailure(`No closing quotation in '${text}'`);
    const [all, single, double, escaped, plain] = found;
    if (/^\s/.test(all)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    // Within double quotes a backslash escapes only a double quote or a backslash.
    const piece = single ?? double?.replaceAll(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "";
    word = (word ?? "") + piece;
  }
  if (word !== undefined) words.push(word);
  return words;
}
