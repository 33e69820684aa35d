/** Names of nodes in /etc/hosts. */
import { readFile } from "node:fs/promises";
import type { NodeContext } from "../context.js";
import { ifMissing } from "../failure.js";
import { handlers } from "../handlers.js";
import { located } from "../machine/paths.js";
import { attributesOf, replaceFile } from "./replaced-file.js";

const shortName = (name: string): string => name.split(".", 1)[0] ?? name;
const fieldsOf = (line: string): readonly string[] =>
  line.startsWith("#") ? [] : line.trim().split(/\s+/);

/** `text` with the name and its short form for this address, instead of all former names of the address. */
export function withHost(text: string, ip: string, name: string): string {
  const names = [...new Set([name, shortName(name)])].join(" ");
  const entry = `${ip}\t${names}`;
  const kept: string[] = [];
  let isWritten = false;
  for (const line of linesOf(text)) {
    if (fieldsOf(line)[0] !== ip) kept.push(line);
    else if (!isWritten) {
      kept.push(entry);
      isWritten = true;
    }
  }
  if (!isWritten) kept.push(entry);
  return `${kept.join("\n")}\n`;
}

/** `text` without the name and its short form; lines that have no other names disappear. */
export function withoutHost(text: string, name: string): string {
  const gone = new Set([name, shortName(name)]);
  const kept = linesOf(text).flatMap((line) => {
    const [ip, ...names] = fieldsOf(line);
    if (ip === undefined || !names.some((one) => gone.has(one))) return [line];
    const others = names.filter((one) => !gone.has(one));
    return others.length === 0 ? [] : [[ip, ...others].join(" ")];
  });
  return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}

const linesOf = (text: string): readonly string[] => {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
};

export function hostsCalls({ paths }: Pick<NodeContext, "paths">) {
  const path = located(paths, "/etc/hosts");
  return handlers({
    async etc_hosts_modify({ action, host, ip }) {
      const text = await readFile(path, "utf8").catch(ifMissing(""));
      let changed = text;
      if (action === "add" && ip !== null) changed = withHost(text, ip, host);
      if (action === "remove" && ip === null) changed = withoutHost(text, host);
      if (changed !== text) {
        await replaceFile(path, changed, await attributesOf(path, { mode: 0o644 }));
      }
    },
  });
}
