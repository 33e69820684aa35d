/** Completion scripts for shells, generated from a program's options. */
import type { Option } from "./option.js";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function completionScript(
  shell: Shell,
  program: string,
  options: readonly Option<never>[],
): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](program, options);
}

/** Possible words of an option's argument, if it is a choice. */
const wordsOf = ({ completes }: Option<never>): string[] =>
  completes?.startsWith("choices=") ? completes.slice("choices=".length).split(",") : [];

const namesOf = ({ short, long }: Option<never>): string[] =>
  short ? [`-${short}`, `--${long}`] : [`--${long}`];

/** In bash `=` is a separate word; optional arguments are completed only after it. */
function bashScript(program: string, options: readonly Option<never>[]): string {
  const reply = (option: Option<never>) => {
    if (option.completes === "file") return `COMPREPLY=($(compgen -f -- "$word"))`;
    return `COMPREPLY=($(compgen -W "${wordsOf(option).join(" ")}" -- "$word"))`;
  };
  const cases = options
    .filter(({ argument }) => argument)
    .map((option) => {
      const names = option.argument?.optional
        ? [`--${option.long}=`]
        : [...namesOf(option), `--${option.long}=`];
      return `    ${names.join(" | ")}) ${reply(option)} ;;\n`;
    });
  const all = options.flatMap(namesOf).join(" ");
  return `# bash completion for ${program}; to use it: eval "$(${program} --completion=bash)"
_${program}() {
  local word=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == "=" ]]; then
    word="" option+="="
  elif [[ $option == "=" ]]; then
    option=\${COMP_WORDS[COMP_CWORD-2]}=
  fi
  COMPREPLY=()
  case $option in
${cases.join("")}    *) [[ $word != -* ]] || COMPREPLY=($(compgen -W "${all}" -- "$word")) ;;
  esac
}
complete -o default -F _${program} ${program}
`;
}

function zshScript(program: string, options: readonly Option<never>[]): string {
  const escaped = (text: string) => text.replace(/[[\]:\\]/g, "\\$&").replaceAll("'", "'\\''");
  const specs = options.flatMap((option) => {
    const { argument, description } = option;
    const action = option.completes === "file" ? "_files" : `(${wordsOf(option).join(" ")})`;
    const value = argument ? `:${argument.optional ? ":" : ""}${argument.name}:${action}` : "";
    const joints = argument?.optional ? ["-", "=-"] : ["+", "="];
    return namesOf(option).map((name) => {
      const joint = argument ? joints[name.startsWith("--") ? 1 : 0] : "";
      return `  '${name}${joint}[${escaped(description)}]${value}' \\\n`;
    });
  });
  return `#compdef ${program}
# zsh completion for ${program}; to use it, save it as _${program} in a folder of $fpath
_arguments -s -S \\
${specs.join("")}  '*:file:_files'
`;
}

function fishScript(program: string, options: readonly Option<never>[]): string {
  const lines = options.map((option) => {
    const { short, long, argument, description } = option;
    const words = wordsOf(option);
    const flags = [
      short ? `-s ${short}` : "",
      `-l ${long}`,
      argument && !argument.optional ? "-r" : "",
      argument && option.completes !== "file" ? "-f" : "",
      words.length > 0 ? `-a '${words.join(" ")}'` : "",
      `-d '${description.replace(/['\\]/g, "\\$&")}'`,
    ];
    return `complete -c ${program} ${flags.filter(Boolean).join(" ")}\n`;
  });
  return `# fish completion for ${program}; to use it: ${program} --completion=fish | source\n${lines.join("")}`;
}
