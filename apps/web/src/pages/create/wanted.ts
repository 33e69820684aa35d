/** The instance that the form describes: its form in the URL, as a question to hail, and as a creation request. */
import { mibOf } from "../../sizes.js";

export interface WantedNic {
  /** Empty: the cluster's default mode and link. */
  readonly network: string;
  readonly ip: string;
}

/** Texts as typed; `memory` and `disks` are read by `mibOf`. */
export interface Wanted {
  readonly name: string;
  readonly os: string;
  readonly template: string;
  readonly memory: string;
  readonly vcpus: string;
  readonly disks: readonly string[];
  readonly nics: readonly WantedNic[];
  readonly group: string;
  readonly tags: string;
  /** Nodes chosen by hand; empty where hail chooses. */
  readonly primary: string;
  readonly secondary: string;
  /** Whether only the resources are reserved. */
  readonly reserve: boolean;
  readonly start: boolean;
  /** Whether the server checks that the name is in DNS, and that no host answers at its address. */
  readonly check: boolean;
}

/** Initial values of the form, where the cluster has no defaults of its own. */
const usual: Wanted = {
  ...{ name: "", os: "", template: "", memory: "1g", vcpus: "1", disks: ["10g"] },
  ...{ nics: [{ network: "", ip: "" }], group: "", tags: "", primary: "", secondary: "" },
  ...{ reserve: false, start: true, check: false },
};

const texts = [
  ...["name", "os", "template", "memory", "vcpus", "group", "tags"],
  ...["primary", "secondary"],
] as const;
const flags = ["reserve", "start", "check"] as const;

export function wantedIn(args: URLSearchParams): Wanted {
  const given: Record<string, unknown> = {};
  for (const key of texts) given[key] = args.get(key) ?? usual[key as "name"];
  for (const key of flags) given[key] = args.has(key) ? args.get(key) === "yes" : usual[key];
  const disks = args.get("disks");
  const nics = args.get("nics");
  return {
    ...(given as unknown as Wanted),
    disks: disks === null ? usual.disks : disks.split(",").filter(Boolean),
    nics: nics === null ? usual.nics : nics.split(",").filter(Boolean).map(nicOf),
  };
}

/** Reads a NIC in the URL: `network@ip`; `@` alone is a NIC with default values. */
function nicOf(text: string): WantedNic {
  const [network = "", ip = ""] = text.split("@", 2);
  return { network, ip };
}

/** Arguments of the URL; default values are empty. */
export function argsOf(wanted: Wanted): Record<string, string> {
  const list = {
    disks: wanted.disks.join(",") || ",",
    nics: wanted.nics.map(({ network, ip }) => `${network}@${ip}`).join(",") || ",",
  };
  return {
    ...Object.fromEntries(
      texts.map((key) => [key, wanted[key] === usual[key as "name"] ? "" : wanted[key]]),
    ),
    ...Object.fromEntries(
      flags.map((key) => [key, wanted[key] === usual[key] ? "" : wanted[key] ? "yes" : "no"]),
    ),
    disks: list.disks === usual.disks.join(",") ? "" : list.disks,
    nics: list.nics === "@" ? "" : list.nics,
  };
}

export interface Fault {
  readonly field: string;
  readonly text: string;
}

/** Values that no server could take, in words; empty if there are none. */
export function faultsOf(wanted: Wanted): readonly Fault[] {
  const faults: Fault[] = [];
  const size = "Give a size such as 512m, 20g or 1.5t";
  if (!mibOf(wanted.memory)) faults.push({ field: "memory", text: size });
  if (!/^[1-9]\d{0,3}$/.test(wanted.vcpus.trim())) {
    faults.push({ field: "vcpus", text: "Give a number of virtual CPUs, at least 1" });
  }
  wanted.disks.forEach((disk, at) => {
    if (!mibOf(disk)) faults.push({ field: `disk${at}`, text: size });
  });
  if (wanted.secondary !== "" && wanted.secondary === wanted.primary) {
    faults.push({ field: "secondary", text: "The secondary node must be another node" });
  }
  return faults;
}

export const tagsOf = ({ tags }: Wanted): string[] => tags.split(/[\s,]+/).filter(Boolean);

const nicsOf = ({ nics }: Wanted) =>
  nics.map(({ network, ip }) => ({
    ...(network !== "" && { network }),
    ...(ip !== "" && { ip }),
  }));

/** Keys that the question and the request have in common. */
const common = (wanted: Wanted) => ({
  beparams: { memory: mibOf(wanted.memory), vcpus: Number(wanted.vcpus) },
  disk_template: wanted.template,
  disks: wanted.template === "diskless" ? [] : wanted.disks.map((disk) => ({ size: mibOf(disk) })),
  nics: nicsOf(wanted),
  tags: tagsOf(wanted),
  ...(wanted.group !== "" && { group_name: wanted.group }),
});

/** The question to hail about the placement of such an instance. */
export const questionOf = (wanted: Wanted) => ({
  ...common(wanted),
  ...(wanted.os !== "" && { os_type: wanted.os }),
});

/** The body of `POST /2/instances`. `iallocator` places it unless nodes are chosen. */
export function requestOf(wanted: Wanted, iallocator: string): object {
  const { primary, secondary } = wanted;
  const isChosen = primary !== "";
  return {
    __version__: 1,
    mode: "create",
    name: wanted.name.trim(),
    os: wanted.os,
    ...common(wanted),
    ...(isChosen
      ? { pnode: primary, ...(secondary !== "" && { snode: secondary }), group_name: undefined }
      : { iallocator }),
    ...(wanted.reserve ? { forthcoming: true } : { start: wanted.start }),
    name_check: wanted.check,
    ip_check: wanted.check,
  };
}
