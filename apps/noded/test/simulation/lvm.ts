/** Simulated LVM of one machine: one volume group on two physical volumes. */
import { type Program, Refused } from "./outcome.js";

interface Volume {
  sizeMib: number;
  readonly minor: number;
  readonly tags: Set<string>;
  /** Its physical volume. */
  readonly on: string;
  isReadOnly: boolean;
}

const group = "xenvg";
const extentMib = 4;
const allPhysical = ["/dev/sda3", "/dev/sdb3"];
const groupMib = 8192;

/** Options and operands of a program; unknown options are refused, as by the real programs. */
function readWords(args: readonly string[], shape: RegExp): readonly string[] {
  const unknown = args.find((word) => word.startsWith("-") && !shape.test(word));
  if (unknown !== undefined) throw new Refused(`  unrecognized option '${unknown}'`, 3);
  return args.filter((word) => !word.startsWith("-"));
}

/** Options of lvs, vgs and pvs. */
function listing(args: readonly string[]) {
  let fields: readonly string[] = ["vg_name"];
  let separator = " ";
  const operands: string[] = [];
  const rest = args.map((word) => word);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [option = "", value] = word.startsWith("--") ? word.split("=") : [word];
    if (["--noheadings", "--nosuffix", "--unbuffered"].includes(word)) continue;
    if (option === "--units") {
      if (!["m", "k"].includes(value ?? rest.shift() ?? "")) throw new Refused("  bad unit", 3);
    } else if (option === "--separator") separator = value ?? rest.shift() ?? "";
    else if (option === "--options") fields = (value ?? rest.shift() ?? "").split(",");
    else if (word === "-o") fields = (rest.shift() ?? "").split(",");
    else if (word.startsWith("-o")) fields = word.slice(2).split(",");
    else if (word.startsWith("-")) throw new Refused(`  unrecognized option '${word}'`, 3);
    else operands.push(word);
  }
  return { fields, separator, operands };
}

export class SimulatedLvm {
  readonly volumes = new Map<string, Volume>();
  readonly #locked = new Set<string>();
  readonly #missing = new Set<string>();
  #physical = allPhysical;
  #minors = 0;

  /** MiB of a device file; undefined if there is none. */
  sizeOf(path: string): number | undefined {
    return this.volumes.get(path.replace(`/dev/${group}/`, ""))?.sizeMib;
  }

  /** Does the work of `lvchange -pr` and `-prw`. */
  setReadOnly(name: string, isReadOnly: boolean): void {
    this.#named(name).isReadOnly = isReadOnly;
  }

  isReadOnly(path: string): boolean {
    return this.volumes.get(path.replace(`/dev/${group}/`, ""))?.isReadOnly ?? false;
  }

  /** Removes the device of a physical volume. */
  lose(device: string): void {
    this.#missing.add(device);
  }

  /** Whether the data of a device file lies on that physical volume. */
  liesOn(path: string, device: string): boolean {
    return this.volumes.get(path.replace(`/dev/${group}/`, ""))?.on === device;
  }

  #freeOn(device: string): number {
    let free = groupMib / allPhysical.length;
    for (const { sizeMib, on } of this.volumes.values()) if (on === device) free -= sizeMib;
    return free;
  }

  get #freeMib(): number {
    return this.#physical.reduce((sum, device) => sum + this.#freeOn(device), 0);
  }

  #checkWhole(): void {
    if (this.#missing.size === 0) return;
    throw new Refused(`  Cannot change VG ${group} while PVs are missing.`);
  }

  #named(path: string): Volume {
    const volume = this.volumes.get(path.replace(/^\/dev\//, "").replace(`${group}/`, ""));
    if (volume === undefined) throw new Refused(`  Failed to find logical volume "${path}"`);
    return volume;
  }

  #taken(mib: number): number {
    const whole = Math.ceil(mib / extentMib) * extentMib;
    if (whole > this.#freeMib) {
      throw new Refused(`  Volume group "${group}" has insufficient free space`);
    }
    return whole;
  }

  readonly programs: Readonly<Record<string, Program>> = {
    lvs: (args) => this.#listed(args, () => this.#volumeRows()),
    vgs: (args) => this.#listed(args, () => this.#groupRows()),
    pvs: (args) => this.#listed(args, () => this.#physicalRows()),
    lvcreate: (args) => this.#create(args),
    lvremove: (args) => {
      const [path = ""] = readWords(args, /^-f$/);
      this.#named(path);
      this.volumes.delete(path.replace(`${group}/`, ""));
      return "  removed\n";
    },
    lvrename: (args) => {
      const [of, from = "", to = ""] = readWords(args, /^$/);
      const volume = this.#named(`${of}/${from}`);
      if (this.volumes.has(to)) throw new Refused(`  Logical Volume "${to}" already exists`);
      this.volumes.delete(from);
      this.volumes.set(to, volume);
      return "  renamed\n";
    },
    lvchange: (args) => {
      const words = readWords(args, /^(-ay|--addtag|--deltag)$/);
      const volume = this.#named(words.at(-1) ?? "");
      if (args[0] === "--addtag") volume.tags.add(words[0] ?? "");
      if (args[0] === "--deltag") volume.tags.delete(words[0] ?? "");
      return "";
    },
    lvextend: (args) => {
      const words = readWords(args, /^(-L|--test|--alloc)$/);
      const [amount = "", , path = ""] = words;
      const volume = this.#named(path);
      const more = this.#taken(Number(/^\+(\d+)k$/.exec(amount)?.[1]) / 1024);
      if (!args.includes("--test")) volume.sizeMib += more;
      return "  resized\n";
    },
    pvchange: (args) => {
      const [yes, name = ""] = readWords(args, /^--allocatable$/);
      if (!this.#physical.includes(name))
        throw new Refused(`  Cannot use ${name}: device not found`);
      if (yes === "y") this.#locked.delete(name);
      else this.#locked.add(name);
      return "  1 physical volume changed\n";
    },
    vgreduce: (args) => {
      const [name] = readWords(args, /^--(removemissing|force)$/);
      if (name !== group) throw new Refused(`  Volume group "${name}" not found`);
      if (this.#missing.size === 0) return `  Volume group "${group}" is already consistent.\n`;
      const lost = [...this.volumes].filter(([, { on }]) => this.#missing.has(on));
      if (lost.length > 0 && !args.includes("--force")) {
        throw new Refused("  There are still partial LVs; use vgreduce --removemissing --force.");
      }
      for (const [volume] of lost) this.volumes.delete(volume);
      this.#physical = this.#physical.filter((device) => !this.#missing.has(device));
      this.#missing.clear();
      return `  Wrote out consistent volume group ${group}.\n`;
    },
  };

  #create(args: readonly string[]): string {
    const [of, ...places] = readWords(args, /^(-Wn|-L\d+m|-n.+|-i[12]|-s)$/);
    const option = (start: string): string =>
      args.find((word) => word.startsWith(start))?.slice(2) ?? "";
    const name = option("-n");
    if (args.includes("-s")) this.#named(of ?? "");
    else if (of !== group) throw new Refused(`  Volume group "${of}" not found`);
    this.#checkWhole();
    if (places.some((place) => !this.#physical.includes(place))) throw new Refused("  no such PV");
    if (this.volumes.has(name)) throw new Refused(`  Logical Volume "${name}" already exists`);
    const sizeMib = this.#taken(Number.parseInt(option("-L"), 10));
    const [first = this.#physical[0] ?? ""] = places;
    const on = places.find((place) => this.#freeOn(place) >= sizeMib) ?? first;
    this.#minors += 1;
    this.volumes.set(name, {
      sizeMib,
      minor: this.#minors,
      tags: new Set(),
      on,
      isReadOnly: false,
    });
    return "  created\n";
  }

  /** Rows that differ in no requested field are one row. */
  #listed(
    args: readonly string[],
    rows: () => readonly Readonly<Record<string, string>>[],
  ): string {
    const { fields, separator, operands } = listing(args);
    const all = rows();
    const unknown = fields.find((field) => all[0] !== undefined && !(field in all[0]));
    if (unknown !== undefined) throw new Refused(`  Unrecognised field: ${unknown}`, 3);
    const isNamed = (row: Readonly<Record<string, string>>): boolean =>
      operands.length === 0 ||
      operands.some((operand) => operand === row.vg_name || operand === row.path);
    for (const operand of operands) {
      if (operand !== group && !all.some(({ path }) => path === operand)) {
        throw new Refused(`  "${operand}" not found`);
      }
    }
    const lines = all
      .filter(isNamed)
      .map((row) => `  ${fields.map((field) => row[field]).join(separator)}\n`);
    return [...new Set(lines)].join("");
  }

  #volumeRows() {
    return [...this.volumes].map(([name, { sizeMib, minor, tags, on, isReadOnly }]) => ({
      ...{ vg_name: group, lv_name: name, path: `/dev/${group}/${name}` },
      lv_attr: `-${isReadOnly ? "r" : "w"}i-a---${this.#missing.has(on) ? "p" : "-"}-`,
      ...{ lv_kernel_major: "253", lv_kernel_minor: String(minor), vg_extent_size: "4096.00" },
      ...{ stripes: "1", devices: `${this.#shown(on)}(0)`, lv_size: sizeMib.toFixed(2) },
      tags: [...tags].join(","),
    }));
  }

  #groupRows() {
    const [size, free] = [groupMib.toFixed(2), this.#freeMib.toFixed(2)];
    const vg_attr = this.#missing.size > 0 ? "wz-pn-" : "wz--n-";
    return [{ vg_name: group, name: group, vg_size: size, size, vg_free: free, vg_attr }];
  }

  #physicalRows() {
    const size = groupMib / allPhysical.length;
    return this.#physical.map((device) => {
      const free = this.#freeOn(device);
      const name = this.#shown(device);
      return {
        ...{ pv_name: name, path: name, vg_name: group, lv_name: "", pv_size: size.toFixed(2) },
        ...{ pv_free: free.toFixed(2), pv_used: (size - free).toFixed(2) },
        pv_attr: `${this.#locked.has(device) ? "u" : "a"}-${this.#missing.has(device) ? "m" : "-"}`,
      };
    });
  }

  /** Path of a device as LVM prints it; that of a missing device is unknown. */
  #shown(device: string): string {
    return this.#missing.has(device) ? "[unknown]" : device;
  }
}
