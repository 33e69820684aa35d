/** Simulated DRBD 8.4 on several machines whose mirrors are connected. */
import { type Program, Refused } from "./outcome.js";

interface Device {
  data: string | null;
  meta: string | null;
  net: readonly [string, string] | null;
  secret: string | null;
  isDual: boolean;
  isPrimary: boolean;
  isPaused: boolean;
  isSynchronising: boolean;
  sizeMib: number;
}

const noDevice: Device = {
  ...{ data: null, meta: null, net: null, secret: null },
  ...{ isDual: false, isPrimary: false, isPaused: false, isSynchronising: false, sizeMib: 0 },
};

/** The volume under a mirror; undefined if there is none. */
type BackingVolume = (
  node: number,
  path: string,
) => { readonly sizeMib: number; readonly isReadOnly: boolean } | undefined;

/** Duration (ms) of a synchronisation, long enough for a status call in between. */
const syncMs = 30;

export class SimulatedDrbd {
  readonly #devices: Map<number, Device>[];
  /** Whether data is up to date, by node and metadata device, with the key `NODE META`. */
  readonly #upToDate = new Map<string, boolean>();
  readonly #onChange: (node: number, text: string) => void;
  readonly #volumeOf: BackingVolume;

  /** `onChange` is called with a node's new text of /proc/drbd. */
  constructor(
    nodeCount: number,
    onChange: (node: number, text: string) => void,
    volumeOf: BackingVolume,
  ) {
    this.#volumeOf = volumeOf;
    this.#devices = Array.from({ length: nodeCount }, () => new Map());
    this.#onChange = onChange;
    this.#publish();
  }

  sizeOf(node: number, path: string): number | undefined {
    const minor = /^\/dev\/drbd(\d+)$/.exec(path)?.[1];
    return minor === undefined ? undefined : this.#devices[node]?.get(Number(minor))?.sizeMib;
  }

  programs(node: number): Readonly<Record<string, Program>> {
    return {
      drbdmeta: (args) => {
        const words = args.filter((word) => word !== "--force");
        const [, version, meta = "", kind, command = ""] = words;
        const isKnown = `${version} ${kind}` === "v08 flex-external";
        if (!isKnown || !["create-md", "apply-al"].includes(command))
          throw new Refused("usage", 20);
        if (command === "create-md") this.#upToDate.set(`${node} ${meta}`, false);
        return "";
      },
      drbdsetup: ([command = "", ...args]) => {
        const run = Object.hasOwn(this.#commands, command) ? this.#commands[command] : undefined;
        if (run === undefined) throw new Refused(`unknown command ${command}`, 20);
        const output = run(node, args);
        this.#publish();
        return output ?? "";
      },
    };
  }

  /** Lets storage fail: mirrors that use it detach it, as `--on-io-error=detach` requires. */
  fail(node: number, isFailing: (path: string) => boolean): void {
    for (const own of this.#devices[node]?.values() ?? []) {
      if (own.data === null || ![own.data, own.meta ?? ""].some(isFailing)) continue;
      Object.assign(own, { data: null, meta: null });
    }
    this.#publish();
  }

  readonly #commands: Readonly<
    Record<string, (node: number, args: readonly string[]) => string | undefined>
  > = {
    "new-resource": () => undefined,
    "new-minor": (node, [, minor]) => {
      const devices = this.#devices[node];
      if (!devices?.has(Number(minor))) devices?.set(Number(minor), { ...noDevice });
      return undefined;
    },
    attach: (node, [minor, data = "", meta = "", kind, ...options]) => {
      const own = this.#device(node, minor);
      if (own.data !== null) throw new Refused("Failure: (124) Device is attached to a disk", 10);
      if (kind !== "flexible" || options[0] !== "--on-io-error=detach") throw new Refused("usage");
      const size = Number.parseInt(options[options.indexOf("--size") + 1] ?? "", 10);
      const refused = (text: string) => new Refused(`${minor}: Failure: ${text}`, 10);
      const volumes = [data, meta].map((path) => this.#volumeOf(node, path));
      if (volumes[0]?.isReadOnly) throw refused("(104) Can not open backing device.");
      if (volumes[1]?.isReadOnly) throw refused("(105) Can not open meta device.");
      if ((volumes[0]?.sizeMib ?? 0) < size) {
        throw refused("(111) Low.dev. smaller than requested DRBD-dev. size.");
      }
      Object.assign(own, { data, meta, sizeMib: size });
      return undefined;
    },
    "disk-options": (node, [minor, option]) => {
      this.#device(node, minor);
      if (option !== "--resync-rate") throw new Refused("unknown option", 20);
      return undefined;
    },
    connect: (node, [resource = "", local = "", remote = "", ...options]) => {
      const own = this.#device(node, resource.replace("resource", ""));
      if (own.net !== null) throw new Refused("(102) Local address(port) already in use.", 10);
      const secret = options[options.indexOf("--shared-secret") + 1] ?? null;
      const isDual = options.includes("--allow-two-primaries");
      Object.assign(own, { net: [local, remote], secret, isDual });
      return undefined;
    },
    disconnect: (node, [local, remote]) => {
      for (const own of this.#devices[node]?.values() ?? []) {
        if (own.net?.[0] === local && own.net?.[1] === remote) {
          own.net = null;
          return undefined;
        }
      }
      throw new Refused("(162) Invalid configuration request: unknown connection", 10);
    },
    primary: (node, [minor, force]) => {
      const own = this.#device(node, minor);
      const peer = this.#peer(node, own);
      if (peer?.device.isPrimary && !own.isDual) {
        throw new Refused("State change failed: (-1) Multiple primaries not allowed", 11);
      }
      if (!this.#isCurrent(node, own) && !(peer && this.#isCurrent(peer.node, peer.device))) {
        if (force !== "--force") throw new Refused("(-2) Need access to UpToDate data", 17);
        this.#upToDate.set(`${node} ${own.meta}`, true);
      }
      own.isPrimary = true;
      return undefined;
    },
    secondary: (node, [minor]) => {
      this.#device(node, minor).isPrimary = false;
      return undefined;
    },
    detach: (node, [minor]) => {
      Object.assign(this.#device(node, minor), { data: null, meta: null });
      return undefined;
    },
    down: (node, [resource = ""]) => {
      const minor = Number(resource.replace("resource", ""));
      if (this.#devices[node]?.get(minor)?.isPrimary) this.#devices[node].delete(minor);
      else this.#devices[node]?.delete(minor);
      return undefined;
    },
    "pause-sync": (node, [minor]) => this.#pause(node, minor, true),
    "resume-sync": (node, [minor]) => this.#pause(node, minor, false),
    resize: (node, [minor, option, size = ""]) => {
      if (option !== "--size") throw new Refused("unknown option", 20);
      this.#resize(node, this.#device(node, minor), Number.parseInt(size, 10));
      return undefined;
    },
    show: (node, [minor]) => shown(Number(minor), this.#device(node, minor)),
  };

  /** Success also where the kernel refuses: the devices end with the smallest of the volumes under them. */
  #resize(node: number, own: Device, wantedMib: number): void {
    const peer = this.#peer(node, own);
    const sides = [{ node, device: own }, ...(peer ? [peer] : [])];
    const room = sides.map(({ node: at, device: { data } }) =>
      data === null ? Infinity : (this.#volumeOf(at, data)?.sizeMib ?? 0),
    );
    const sizeMib = Math.min(wantedMib, ...room);
    for (const { node: at, device } of sides) {
      // The new part is synchronised.
      if (device.sizeMib < sizeMib && !device.isPrimary) {
        this.#upToDate.set(`${at} ${device.meta}`, false);
      }
      device.sizeMib = Math.max(device.sizeMib, sizeMib);
    }
  }

  #pause(node: number, minor: string | undefined, isPaused: boolean): undefined {
    const own = this.#device(node, minor);
    if (own.isPaused === isPaused) {
      throw new Refused(
        isPaused
          ? "Failure: (134) Sync-pause flag is already set"
          : "Failure: (135) Sync-pause flag is already cleared",
        10,
      );
    }
    own.isPaused = isPaused;
  }

  #device(node: number, minor: string | undefined): Device {
    const own = this.#devices[node]?.get(Number(minor));
    if (own === undefined) throw new Refused("Failure: (127) Device minor not allocated", 10);
    return own;
  }

  #peer(node: number, { net, secret }: Device) {
    if (net === null) return undefined;
    for (const [other, devices] of this.#devices.entries()) {
      if (other === node) continue;
      for (const device of devices.values()) {
        const [local, remote] = device.net ?? [];
        if (local === net[1] && remote === net[0] && device.secret === secret) {
          return { node: other, device };
        }
      }
    }
    return undefined;
  }

  #isCurrent(node: number, { meta }: Device): boolean {
    return meta !== null && this.#upToDate.get(`${node} ${meta}`) === true;
  }

  #publish(): void {
    for (const [node, devices] of this.#devices.entries()) {
      for (const own of devices.values()) this.#follow(node, own);
    }
    for (const node of this.#devices.keys()) this.#onChange(node, this.#text(node));
  }

  /** Starts the synchronisation of an outdated copy. */
  #follow(node: number, own: Device): void {
    if (!this.#isTarget(node, own) || own.isSynchronising) return;
    own.isSynchronising = true;
    setTimeout(() => {
      own.isSynchronising = false;
      if (this.#isTarget(node, own)) this.#upToDate.set(`${node} ${own.meta}`, true);
      this.#publish();
    }, syncMs);
  }

  #isTarget(node: number, own: Device): boolean {
    const peer = this.#peer(node, own);
    return (
      peer !== undefined &&
      own.data !== null &&
      !this.#isCurrent(node, own) &&
      this.#isCurrent(peer.node, peer.device)
    );
  }

  #text(node: number): string {
    const lines = ["version: 8.4.11 (api:1/proto:86-101)", "srcversion: 211FB288A383ED945B83420 "];
    for (const [minor, own] of [...(this.#devices[node] ?? [])].sort(([a], [b]) => a - b)) {
      if (own.data === null && own.net === null && !own.isPrimary) {
        lines.push(`${String(minor).padStart(2)}: cs:Unconfigured`);
        continue;
      }
      const peer = this.#peer(node, own);
      const disk = (at: number, one: Device) =>
        one.data === null ? "Diskless" : this.#isCurrent(at, one) ? "UpToDate" : "Inconsistent";
      const role = (one: Device) => (one.isPrimary ? "Primary" : "Secondary");
      const isTarget = this.#isTarget(node, own);
      const isSource = peer !== undefined && this.#isTarget(peer.node, peer.device);
      const connection = isTarget
        ? "SyncTarget"
        : isSource
          ? "SyncSource"
          : peer
            ? "Connected"
            : own.net
              ? "WFConnection"
              : "StandAlone";
      const roles = `${role(own)}/${peer ? role(peer.device) : "Unknown"}`;
      const disks = `${disk(node, own)}/${peer ? disk(peer.node, peer.device) : "DUnknown"}`;
      lines.push(
        `${String(minor).padStart(2)}: cs:${connection} ro:${roles} ds:${disks} ${own.net ? "C" : " "} r-----`,
        "    ns:0 nr:0 dw:0 dr:664 al:8 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:f oos:0",
      );
      if (!isTarget && !isSource) continue;
      lines.push("\t[===>................] sync'ed: 21.3% (108544/131072)K");
      lines.push("\tfinish: 0:00:14 speed: 7,508 (7,508) K/sec");
    }
    return `${lines.join("\n")}\n`;
  }
}

/** Output of `drbdsetup show` for one minor. */
function shown(minor: number, { data, meta, net, isDual }: Device): string {
  const address = (text: string) => text.replace(":", " ");
  return [
    `resource resource${minor} {`,
    "    options {\n    }",
    `    net {\n${isDual ? "        allow-two-primaries\tyes;\n" : ""}        cram-hmac-alg   \t"md5";\n    }`,
    net ? `    _remote_host {\n        address\t\t\t${address(net[1])};\n    }` : "",
    "    _this_host {",
    net ? `        address\t\t\t${address(net[0])};` : "",
    `        volume 0 {\n            device\t\t\tminor ${minor};`,
    data ? `            disk\t\t\t"${data}";\n            meta-disk\t\t\t"${meta}";` : "",
    "            disk {\n                size            \t1048576s; # bytes\n            }",
    "        }\n    }\n}\n",
  ].join("\n");
}
