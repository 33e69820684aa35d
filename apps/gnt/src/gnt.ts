/** `gnt`, which contains all programs: `gnt job list` is `gnt-job list`. */
import type { Program } from "./command.js";
import { main } from "./main.js";
import { processMachine } from "./process-machine.js";
import { programs } from "./programs/index.js";

const words = process.argv.slice(2);
const [given = ""] = words;
const load = loadOf(given);

if (load !== undefined) {
  load().then(({ program }) => main(program, words.slice(1)));
} else {
  own().then(({ text, code, complaint }) => {
    const machine = processMachine();
    machine.write(text);
    if (complaint !== undefined) machine.writeError(`${complaint}\n`);
    process.exit(code);
  });
}

function loadOf(name: string | undefined) {
  return programs[name ?? ""] ?? programs[`gnt-${name}`];
}

interface Said {
  readonly text: string;
  readonly code: 0 | 1;
  /** For standard error. */
  readonly complaint?: string;
}

/** Requests to `gnt` itself. */
async function own(): Promise<Said> {
  switch (given) {
    case "--complete":
      return completed();
    case "--version": {
      const { versionLines } = await import("./version.js");
      return { text: `${versionLines("gnt").join("\n")}\n`, code: 0 };
    }
    case "commands":
      return { text: `${(await import("./neighbours.js")).commandFolders()}\n`, code: 0 };
    case "completion": {
      const { completionScript, shells } = await import("./completion/scripts.js");
      const script = completionScript(words[1] ?? "", ["gnt", ...Object.keys(programs)]);
      if (script !== undefined) return { text: script, code: 0 };
      return { text: `Usage: gnt completion {${shells.join("|")}}\n`, code: 1 };
    }
    case "manual": {
      const program = await loadOf(words[1])?.();
      if (program === undefined) return { text: "Usage: gnt manual {program}\n", code: 1 };
      const { manualPage } = await import("./manual/manual-page.js");
      const { version } = await import("./version.js");
      return { text: manualPage(program.program, version), code: 0 };
    }
    default: {
      const all = await allPrograms();
      if (given === "--help") return { text: usage(all), code: 0 };
      const { slipInProgram } = await import("./slip.js");
      const complaint = slipInProgram(given, all);
      return { text: usage(all), code: 1, ...(complaint === undefined ? {} : { complaint }) };
    }
  }
}

/** The programs are its commands. */
async function completed(): Promise<Said> {
  const [, name = "", ...rest] = words;
  const program = await loadOf(name)?.();
  if (program !== undefined && rest.length > 0) {
    await main(program.program, ["--complete", ...rest]);
  }
  const names = Object.keys(programs).map((one) => one.replace("gnt-", ""));
  const found = [...names, "commands", "completion", "manual"].filter((one) =>
    one.startsWith(name),
  );
  return { text: found.map((one) => `${one}\n`).join(""), code: 0 };
}

async function allPrograms(): Promise<readonly Program[]> {
  const all: Program[] = [];
  for (const one of Object.values(programs)) all.push((await one()).program);
  return all;
}

function usage(all: readonly Program[]): string {
  const lines = [
    ...all.map(({ name, summary }) => [name.replace("gnt-", ""), summary] as const),
    ["commands", "Prints the folders with these programs as gnt-instance, …, for PATH"] as const,
    ["completion", "Prints what bash, zsh or fish need to complete command lines"] as const,
    ["manual", "Prints the manual page of a program"] as const,
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const text = lines.map(([name, does]) => ` ${name.padEnd(width)} - ${does}\n`).join("");
  return `Usage: gnt {program} {command} [options...] [argument...]\n\nPrograms:\n${text}`;
}
