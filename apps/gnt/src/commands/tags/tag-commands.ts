/** Commands about tags, for every kind of object with tags. */
import { type Argument, anyNumber, type Commands, type Kind, one } from "../../command.js";
import { priority, submitting, tagsFrom } from "../../options/shared.js";

export interface Tagged {
  /** `gnt-node`. */
  readonly program: string;
  /** Object with the tags; absent for the cluster. */
  readonly thing?: {
    readonly kind: Kind;
    /** `<node-name>` */
    readonly usage: string;
    /** A name for the examples. */
    readonly example: string;
  };
  /** `the given node`: the object in the list of commands. */
  readonly called: string;
}

export function tagCommands({ program, thing, called }: Tagged): Commands {
  const which: readonly Argument[] = thing === undefined ? [] : one(thing.kind);
  const usage = thing === undefined ? "" : `${thing.usage} `;
  const example = thing === undefined ? "" : ` ${thing.example}`;
  const changing = {
    arguments: [...which, ...anyNumber("tag")],
    usage: `${usage}<tag>...`,
    options: [tagsFrom, priority, ...submitting],
  };
  return {
    "list-tags": {
      summary: `List the tags of ${called}`,
      usage: usage.trimEnd(),
      arguments: which,
      examples: { [`${program} list-tags${example}`]: "one tag per line, sorted" },
      load: async () => (await import("./tags.js")).listTags,
    },
    "add-tags": {
      summary: `Add tags to ${called}`,
      ...changing,
      examples: {
        [`${program} add-tags${example} owner:alice rack:a1`]: "adds two tags",
        [`${program} add-tags --from=tags.txt${example}`]:
          "adds the tags in the file, one per line; --from=- reads standard input",
      },
      load: async () => (await import("./tags.js")).addTags,
    },
    "remove-tags": {
      // Ganeti's own programs leave out "the given" here.

      summary: `Remove tags from ${called.replace(/^the (given (?:instance|network))$/, "$1")}`,
      ...changing,
      examples: { [`${program} remove-tags${example} rack:a1`]: "removes the tag" },
      load: async () => (await import("./tags.js")).removeTags,
    },
  };
}
