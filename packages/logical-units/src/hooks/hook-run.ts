/** Hook scripts of one operation, before and after it. */
import { ConfigError, type Configuration } from "@ganeti-ts/config";
import { OperationError } from "@ganeti-ts/job-queue";
import type { HookResult, NodeAnswer, NodeBackend } from "@ganeti-ts/node-calls";
import { dataDirectory } from "@ganeti-ts/node-calls";
import type { AnyOpcode, CancelSignal, Json, NodeUuid } from "@ganeti-ts/protocol";
import { ask, warn } from "../unit/effects.js";
import { addTexts, type Found, type Hooks, type HookTexts } from "./hooks.js";

export interface HookPorts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly lease: string;
  readonly signal: CancelSignal;
  log(message: Json): void;
}

/** Results of the scripts on a node, or the error of the call. */
export interface NodeHooks {
  readonly node: NodeUuid;
  readonly answer: NodeAnswer<readonly HookResult[]>;
}

type Phase = "pre" | "post";

/** Scripts do not inherit the daemon's environment. */
const searchPath = "/sbin:/bin:/usr/sbin:/usr/bin";
const version = "2";
/** Hook path of the master's scripts that run after changes of the configuration. */
const configUpdate = "config-update";

/** Source: Ganeti, `lib/hooksmaster.py`. */
export class HookRun {
  readonly #ports: HookPorts;
  readonly #hooks: Hooks<AnyOpcode> | undefined;
  readonly #op: AnyOpcode;
  #variables: Readonly<HookTexts> = {};
  #found: Found = {};
  #after: readonly NodeUuid[] = [];

  constructor(ports: HookPorts, hooks: Hooks<AnyOpcode> | undefined, op: AnyOpcode) {
    this.#ports = ports;
    this.#hooks = hooks;
    this.#op = op;
  }

  /**
   * To be called after the checks, before any effect. A node that does not answer forbids nothing.
   * @throws OperationError `HooksAbort` if a script fails
   */
  async before(found: Found = {}): Promise<void> {
    const now = this.#ports.config.snapshot;
    if (this.#hooks === undefined) return;
    const { before, after } = this.#hooks.nodes(this.#op, now, found);
    this.#found = found;
    this.#after = after;
    const variables = noTexts();
    addTexts(variables, "GANETI_", this.#hooks.environment(this.#op, now, found));
    this.#variables = variables;
    const failures: Json[] = [];
    for (const { node, answer } of await this.#run("pre", before)) {
      if (!answer.ok) this.#warnOfSilence(node, answer);
      else {
        for (const { script, status, output } of answer.value) {
          if (status === "error") failures.push([this.#nameOf(node), script, output]);
        }
      }
    }
    if (failures.length > 0) throw new OperationError("HooksAbort", [failures]);
  }

  /** To be called after all effects; failing scripts cause warnings. */
  async after(): Promise<void> {
    for (const { node, answer } of await this.results()) {
      if (!answer.ok) this.#warnOfSilence(node, answer);
      else {
        for (const { script, status, output } of answer.value) {
          if (status !== "error") continue;
          const shown = output === "" ? "(no output)" : output;
          warn(this.#ports, `On ${this.#nameOf(node)} script ${script} failed, output: ${shown}`);
        }
      }
    }
  }

  /** Like `after`, for callers that evaluate the results; the scripts are not run again. */
  async results(): Promise<readonly NodeHooks[]> {
    const nodes = this.#after;
    this.#after = [];
    return this.#run("post", nodes);
  }

  /** Like `after`, on a node that could not be reached before. */
  async afterOn(node: NodeUuid): Promise<void> {
    const others = this.#after;
    this.#after = [node];
    await this.after();
    this.#after = others.filter((one) => one !== node);
  }

  /** Runs the master's config-update scripts. */
  async configChanged(): Promise<void> {
    const { config } = this.#ports;
    const { master_node: master } = config.snapshot.cluster;
    const environment = this.#environment("post", configUpdate);
    await ask(this.#ports, master, "hooks_runner", {
      path: configUpdate,
      phase: "post",
      environment,
    });
  }

  async #run(phase: Phase, nodes: readonly NodeUuid[]): Promise<readonly NodeHooks[]> {
    if (this.#hooks === undefined || nodes.length === 0) return [];
    const { path } = this.#hooks;
    const environment = this.#environment(phase, path);
    if (phase === "post") this.#addVariablesAfterwards(environment);
    return Promise.all(
      nodes.map(async (node) => ({
        node,
        answer: await ask(this.#ports, node, "hooks_runner", { path, phase, environment }),
      })),
    );
  }

  #addVariablesAfterwards(environment: HookTexts): void {
    const now = this.#ports.config.snapshot;
    try {
      const found = Object.assign({}, this.#found, { planned: undefined });
      addTexts(environment, "GANETI_POST_", this.#hooks?.environment(this.#op, now, found) ?? {});
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof OperationError)) throw error;
      for (const name in this.#variables) {
        environment[name.replace("GANETI_", "GANETI_POST_")] = this.#variables[name] as string;
      }
    }
  }

  /** Common variables, then those of the operation. */
  #environment(phase: Phase, path: string): HookTexts {
    const { cluster } = this.#ports.config.snapshot;
    const environment: HookTexts = Object.assign(noTexts(), {
      PATH: searchPath,
      GANETI_HOOKS_VERSION: version,
      GANETI_OP_CODE: this.#op.OP_ID,
      GANETI_DATA_DIR: dataDirectory,
      GANETI_HOOKS_PHASE: phase,
      GANETI_HOOKS_PATH: path,
      ...(this.#hooks === undefined ? {} : { GANETI_OBJECT_TYPE: this.#hooks.object }),
      GANETI_CLUSTER: cluster.cluster_name,
      GANETI_MASTER: this.#nameOf(cluster.master_node),
    });
    for (const name in this.#variables) environment[name] = this.#variables[name] as string;
    return environment;
  }

  #warnOfSilence(node: NodeUuid, { offline, message }: { offline: boolean; message: string }) {
    if (offline) return;
    warn(this.#ports, `Communication failure to node ${this.#nameOf(node)}: ${message}`);
  }

  #nameOf(node: NodeUuid): string {
    return this.#ports.config.snapshot.node(node)?.name ?? node;
  }
}

/** Without a prototype: such an object is a dictionary from the start, to which keys are added in a tenth of the time. */
const noTexts = (): HookTexts => Object.create(null) as HookTexts;
