/** INI files as Python's ConfigParser writes and reads them: sections of names with texts. */
import { WireError } from "./format.js";

export type IniSections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Each section ends with an empty line; further lines of a value are indented. */
export const writeIni = (sections: IniSections): string =>
  Object.entries(sections)
    .map(([section, values]) => {
      const lines = Object.entries(values).map(
        ([name, value]) => `${name} = ${value.replaceAll("\n", "\n\t")}\n`,
      );
      return `[${section}]\n${lines.join("")}\n`;
    })
    .join("");

/**
 * Parses the text. Names are converted to lower case, and values are not interpolated (`%(name)s`). O(text).
 * @throws WireError for lines outside a section, without `=` or `:`, and for duplicate sections or names
 */
export function readIni(text: string): IniSections {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  let name: string | undefined;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "" || /^[#;]/.test(trimmed)) {
      if (trimmed === "" && name !== undefined) append(section, name, "");
    } else if (/^\s/.test(line) && name !== undefined) {
      append(section, name, trimmed);
    } else if (/^\[[^\]]+\]/.test(trimmed)) {
      section = begun(sections, trimmed.slice(1, trimmed.indexOf("]")));
      name = undefined;
    } else {
      name = entered(section, trimmed);
    }
  }
  return Object.fromEntries(
    [...sections].map(([title, values]) => [title, Object.fromEntries(withoutEnds(values))]),
  );
}

function begun(sections: Map<string, Map<string, string>>, title: string): Map<string, string> {
  if (sections.has(title)) throw new WireError(`section '${title}' is there twice`);
  const section = new Map<string, string>();
  sections.set(title, section);
  return section;
}

/** Adds the name and value of a line to the section; returns the name. */
function entered(section: Map<string, string> | undefined, line: string): string {
  if (section === undefined) throw new WireError(`'${line}' stands outside a section`);
  const at = line.search(/[=:]/);
  if (at <= 0) throw new WireError(`'${line}' is not a name with a value`);
  const name = line.slice(0, at).trimEnd().toLowerCase();
  if (section.has(name)) throw new WireError(`'${name}' is there twice`);
  section.set(name, line.slice(at + 1).trimStart());
  return name;
}

function append(section: Map<string, string> | undefined, name: string, line: string): void {
  section?.set(name, `${section.get(name)}\n${line}`);
}

/** Values without trailing empty lines, which are not part of them. */
const withoutEnds = (values: Map<string, string>): [string, string][] =>
  [...values].map(([name, value]) => [name, value.trimEnd()]);
