/** MirrorSetup: the configuration of a mirror, parsed from the output of `drbdsetup show` of DRBD 8.4. */
import { NodeFailure } from "../../failure.js";

/** Parts that are not configured are null. Addresses are in the form of drbdsetup: `ipv4:192.0.2.1:11000`. */
export interface MirrorSetup {
  readonly data: string | null;
  readonly meta: string | null;
  /** Null if the metadata has a device of its own. */
  readonly metaIndex: number | null;
  readonly local: string | null;
  readonly remote: string | null;
  readonly allowsTwoPrimaries: boolean;
}

export const noSetup: MirrorSetup = {
  ...{ data: null, meta: null, metaIndex: null, local: null, remote: null },
  allowsTwoPrimaries: false,
};

/** A statement `words… ;` or a section `words… { … }`. */
interface Statement {
  readonly words: readonly string[];
  readonly body: readonly Statement[] | null;
}

/** Parses the output of `drbdsetup show MINOR`; throws NodeFailure if the text has another form. */
export function mirrorSetup(text: string): MirrorSetup {
  const tokens = tokensOf(text);
  const { statements, next } = statementsAt(tokens, 0, text);
  if (next !== tokens.length) throw cannotParse(text);
  let found = noSetup;
  for (const { path, words } of flat(statements)) {
    const [name, value = "", more] = words;
    const section = path.at(-1);
    if (name === "address") {
      const address = `${value}:${more}`;
      if (section === "_this_host") found = { ...found, local: address };
      if (section === "_remote_host") found = { ...found, remote: address };
    } else if (name === "disk") found = { ...found, data: unquoted(value) };
    else if (name === "meta-disk") {
      const index = /^\[\s*(\d+)\s*\]$/.exec(more ?? "")?.[1];
      found = { ...found, meta: unquoted(value), metaIndex: index ? Number(index) : null };
    } else if (name === "allow-two-primaries") {
      found = { ...found, allowsTwoPrimaries: value !== "no" };
    }
  }
  return found;
}

const cannotParse = (text: string): NodeFailure =>
  new NodeFailure(`Can't parse drbdsetup show output: ${text.trim()}`);

const token = /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|\[\s*\d+\s*\](?!:)|[{};]|[^\s{};"#]+/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text)?.[0];
    if (found === undefined) throw cannotParse(text);
    if (!/^(\s|#)/.test(found)) tokens.push(found);
  }
  return tokens;
}

/** Statements up to the end or to a closing brace, which is not consumed. */
function statementsAt(
  tokens: readonly string[],
  start: number,
  text: string,
): { readonly statements: readonly Statement[]; readonly next: number } {
  const statements: Statement[] = [];
  let words: string[] = [];
  let at = start;
  for (; at < tokens.length && tokens[at] !== "}"; at++) {
    const one = tokens[at] as string;
    if (one === "{") {
      const inner = statementsAt(tokens, at + 1, text);
      if (tokens[inner.next] !== "}") throw cannotParse(text);
      statements.push({ words, body: inner.statements });
      words = [];
      at = inner.next;
    } else if (one === ";") {
      statements.push({ words, body: null });
      words = [];
    } else words.push(one);
  }
  if (words.length > 0) throw cannotParse(text);
  return { statements, next: at };
}

/** Statements that are not sections, each with the names of the sections around it. */
function flat(
  statements: readonly Statement[],
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly words: readonly string[] }[] {
  return statements.flatMap(({ words, body }) =>
    body === null ? [{ path, words }] : flat(body, [...path, words[0] ?? ""]),
  );
}

const unquoted = (word: string): string =>
  word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, "$1") : word;
