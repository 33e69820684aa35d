/** Options of a balancing plan in the URL, and its texts. */
/** Texts of the form, by their names in the URL. */
export interface BalanceForm {
  readonly group: string;
  readonly moves: string;
  readonly gain: string;
  readonly gainlimit: string;
  /** Separated by blanks. */
  readonly tags: string;
  readonly stay: string;
  readonly keep: string;
}

/** Kinds of moves that can be excluded, by the name in the URL. */
export const keeps = [
  ["", "All moves"],
  ["disks", "Migrations only: no disks are copied"],
  ["primaries", "New secondaries only: nothing is migrated"],
  ["restricted", "No moves through a third node"],
  ["evacuate", "Only instances on drained and offline nodes"],
] as const;

export const formIn = (args: URLSearchParams): BalanceForm => ({
  group: args.get("group") ?? "",
  moves: args.get("moves") ?? "100",
  gain: args.get("gain") ?? "",
  gainlimit: args.get("gainlimit") ?? "",
  tags: args.get("tags") ?? "",
  stay: args.get("stay") ?? "",
  keep: args.get("keep") ?? "",
});

const isAmount = (text: string): boolean => text === "" || /^\d+(?:\.\d+)?$/.test(text);

/** Mistakes in the fields, by name of the field. */
export const faultsOf = ({ moves, gain, gainlimit }: BalanceForm) => ({
  moves: /^\d{1,3}$|^1000$/.test(moves) ? undefined : "A number up to 1000",
  gain: isAmount(gain) ? undefined : "A number such as 0.01",
  gainlimit: isAmount(gainlimit) ? undefined : "A number such as 0.1",
});

const words = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

/** The request of a form without faults; options that are not set are left to the server. */
export const questionOf = ({ group, moves, gain, gainlimit, tags, stay, keep }: BalanceForm) => ({
  ...(group !== "" && { group }),
  max_moves: Number(moves),
  ...(gain !== "" && { min_gain: Number(gain) }),
  ...(gainlimit !== "" && { min_gain_limit: Number(gainlimit) }),
  ...(words(tags).length > 0 && { exclusion_tags: words(tags) }),
  ...(words(stay).length > 0 && { exclude_instances: words(stay) }),
  ...(keep === "disks" && { disk_moves: false }),
  ...(keep === "primaries" && { instance_moves: false }),
  ...(keep === "restricted" && { restricted_migration: true }),
  ...(keep === "evacuate" && { evac_mode: true }),
});

/** Reasons why a plan has no further step. */
export const endTexts: Readonly<Record<string, string>> = {
  optimum: "No better place exists.",
  "no gain": "No single further move gains enough.",
  steps: "The plan ends at the limit of moves; more would gain.",
  aborted: "The plan was cut off.",
};

/** A move in the notation of hbal, in words. */
export const moveWords = (move: string): string =>
  move
    .split(" ")
    .map((part) => {
      const [kind, node] = part.split(":", 2);
      if (kind === "f") return "migrate";
      return kind === "r" ? `new secondary ${node}` : `migrate to ${node}`;
    })
    .join(", then ");
