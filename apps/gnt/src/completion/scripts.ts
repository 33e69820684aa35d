/** Completion scripts for bash, zsh and fish. */

const bash = (programs: readonly string[]) => `# bash completion of ${programs.join(", ")}
_ganeti_ts() {
  local line=\${COMP_LINE:0:COMP_POINT} written prefix one
  local -a words found
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  written=\${words[-1]}
  mapfile -t found < <("\${words[0]}" --complete "\${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  if [[ \${found[0]} == :files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "\${written#*=}")
    return
  fi
  # Only what is behind the last = or : is bash's to complete.
  prefix=\${written%"\${written##*[=:]}"}
  for one in "\${found[@]}"; do
    one=\${one%%$'\\t'*}
    COMPREPLY+=("\${one#"$prefix"}")
  done
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _ganeti_ts ${programs.join(" ")}
`;

const zsh = (programs: readonly string[]) => `#compdef ${programs.join(" ")}
_ganeti_ts() {
  local -a found described
  local one
  found=("\${(@f)$("$words[1]" --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then
    compset -P '*='
    _files
    return
  fi
  for one in $found; do
    described+=("\${\${one%%$'\\t'*}//:/\\\\:}:\${one#*$'\\t'}")
  done
  _describe -t words "$words[1]" described -S ''
}
if [[ $funcstack[1] == _ganeti_ts ]]; then _ganeti_ts "$@"; else compdef _ganeti_ts ${programs.join(" ")}; fi
`;

const fish = (programs: readonly string[]) => `function __ganeti_ts_complete
  set -l words (commandline -opc)
  set -l written (commandline -ct)
  set -l found ($words[1] --complete $words[2..-1] "$written" 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path "$written"
  else if test (count $found) -gt 0
    printf '%s\\n' $found
  end
end
${programs.map((name) => `complete -c ${name} -f -a '(__ganeti_ts_complete)'`).join("\n")}
`;

const scripts = { bash, zsh, fish };

export const shells = Object.keys(scripts);

/** Undefined for an unknown shell. */
export const completionScript = (shell: string, programs: readonly string[]): string | undefined =>
  Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts](programs) : undefined;
