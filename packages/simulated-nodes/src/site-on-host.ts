/** SiteOnHost: the view of one call on its simulated node. */
import type { Durations } from "./durations.js";
import type { HookScript } from "./hook-script.js";
import type { Touched } from "./host-states.js";
import type { HostState, SharedState } from "./node-state.js";
import type { Site } from "./site.js";

/** The whole simulation, as one of its nodes sees it. */
export interface Surroundings
  extends Pick<Site, "shared" | "durations" | "seed" | "scripts" | "hostAt"> {
  hostOf(uuid: string): HostState | undefined;
  owns(uuid: string, name: string, address: string): boolean;
}

/** Every call has one: the functions, which few calls use, are made when they are read. */
export class SiteOnHost implements Site {
  readonly uuid: string;
  readonly host: HostState;
  readonly nowMicros: number;
  readonly #around: Surroundings;
  readonly #touched: Touched;

  constructor(
    { uuid, host, nowMicros }: Pick<Site, "uuid" | "host" | "nowMicros">,
    around: Surroundings,
    touched: Touched,
  ) {
    this.uuid = uuid;
    this.host = host;
    this.nowMicros = nowMicros;
    this.#around = around;
    this.#touched = touched;
  }

  get shared(): SharedState {
    return this.#around.shared;
  }

  get durations(): Durations {
    return this.#around.durations;
  }

  get seed(): number {
    return this.#around.seed;
  }

  get scripts(): readonly HookScript[] {
    return this.#around.scripts;
  }

  get peer(): Site["peer"] {
    return (uuid) => this.#around.hostOf(uuid);
  }

  get hostAt(): Site["hostAt"] {
    return (address) => this.#around.hostAt(address);
  }

  get touch(): Site["touch"] {
    return (host) => void this.#touched.add(host);
  }

  get owns(): Site["owns"] {
    return (address) => this.#around.owns(this.uuid, this.host.name, address);
  }
}
