/** systemdUnit: text of a unit that starts a server at each boot. */
import { resolve } from "node:path";
import { type Given, UsageError } from "./option-words.js";

/** Options that a unit may contain, and whether their values are paths. All others are for a single run. */
const lasting: Readonly<Record<string, "path" | "word">> = {
  ...{ port: "word", address: "word", interface: "word", "max-clients": "word", "no-ssl": "word" },
  ...{ "ssl-key": "path", "ssl-cert": "path", "ssl-chain": "path", "data-dir": "path" },
  ...{
    "require-authentication": "word",
    "anonymous-reads": "word",
    "public-metrics": "word",
    store: "word",
    lease: "word",
  },
  ...{ luxi: "path", "luxi-group": "word", "iallocator-search-path": "word", confd: "word" },
  ...{ "confd-port": "word", "confd-address": "word", "confd-key": "path", watcher: "word" },
  ...{
    "trusted-proxy": "word",
    "figures-age": "word",
    nodes: "word",
    replicate: "word",
    "ganeti-data": "path",
  },
  ...{ "ganeti-root": "path", "ganeti-host": "word", debug: "word" },
};

export interface UnitParts {
  /** Absolute paths of Node and of the server's program. */
  readonly node: string;
  readonly program: string;
  /** Options of Node. */
  readonly nodeOptions: readonly string[];
  readonly dataDirectory: string;
  readonly given: Given;
}

/**
 * Text of the unit, which starts the program with the options of Node and those that were given in addition
 * to `--print-unit`. Paths are made absolute.
 * @throws UsageError for options that are for a single run
 */
export function systemdUnit(parts: UnitParts): string {
  const { node, nodeOptions, program, dataDirectory, given } = parts;
  const words = Object.entries({ ...given, "data-dir": dataDirectory }).flatMap(([name, value]) =>
    name === "print-unit" ? [] : [optionWord(name, value)],
  );
  return `[Unit]
Description=Server of a Ganeti cluster (ganeti-ts)
Documentation=man:ganeti-rapi(8)
Wants=network-online.target
After=network-online.target ganeti-ts-noded.service postgresql.service

[Service]
Type=exec
ExecStart=${[node, ...nodeOptions, program, ...words].map(quoted).join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
# Running jobs have a minute to end.
KillMode=mixed
TimeoutStopSec=100
Restart=on-failure
RestartSec=2
# 11: another node is the master; 12: an administrator has to act first, as the last line of the log says.
RestartPreventExitStatus=11 12

[Install]
WantedBy=multi-user.target
`;
}

function optionWord(name: string, value: string | true): string {
  const kind = lasting[name];
  if (kind === undefined) throw new UsageError(`--print-unit and --${name} exclude each other`);
  if (value === true) return `--${name}`;
  return `--${name}=${kind === "path" ? resolve(value) : value}`;
}

/** One word of a command line in a unit: systemd replaces `%` and `$` also within quotes. */
function quoted(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$").replace(/["\\]/g, "\\$&");
  return /[\s"'\\;]/.test(word) ? `"${escaped}"` : escaped;
}
