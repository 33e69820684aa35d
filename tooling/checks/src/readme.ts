// Examples in a README that promise to run.

/** A fenced block whose info string says `run`: ```ts run, ```js run or ```sh run. */
export interface Example {
  readonly language: "ts" | "js" | "sh";
  readonly code: string;
  /** Expected stdout: the ```text block that follows, if there is one. */
  readonly output: string | undefined;
}

/** The runnable examples of a Markdown text, in order. Other blocks promise nothing. */
export function runnableExamples(markdown: string): Example[] {
  const block = /^```(ts|js|sh) run\n([\s\S]*?)^```$(?:\s*^```text\n([\s\S]*?)^```$)?/gm;
  return [...markdown.matchAll(block)].map(([, language, code = "", output]) => ({
    language: language as Example["language"],
    code,
    output,
  }));
}

/** Targets of the links of a Markdown text that are paths, in order, without their `#fragment`; code does not count. */
export function relativeLinks(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target.replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target));
}
