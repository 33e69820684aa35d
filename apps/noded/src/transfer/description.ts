/** The file `config.ini` of an export: sections with names and values. */
import type { ExportDescription } from "@ganeti-ts/node-calls";

/** @throws Error for a value or name that would be read back differently */
export function descriptionText(description: ExportDescription): string {
  const sections = Object.entries(description).map(([section, values]) => {
    const lines = Object.entries(values).map(([name, value]) => {
      if (/[\n\r]/.test(value) || !/^[^\s=:[#;][^\n=:]*$/.test(name)) {
        throw new Error(`Cannot write '${name}' of an export's description`);
      }
      return `${name} = ${value}\n`;
    });
    return `[${section}]\n${lines.join("")}\n`;
  });
  return sections.join("");
}

export function readDescription(text: string): ExportDescription {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> | undefined;
  for (const line of text.split("\n")) {
    const section = /^\[([^\]]+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      current = sections[section] ??= {};
      continue;
    }
    const [, name, value] = /^([^\s=#;][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (current !== undefined && name !== undefined && value !== undefined) current[name] = value;
  }
  return sections;
}
