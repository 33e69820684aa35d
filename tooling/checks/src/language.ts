// Patterns of foreign English in comments, test titles and Markdown, and how often a package has them.
import type { SourceFile } from "./imports.js";
import { type Prose, proseOf } from "./prose.js";

/** One turn of phrase that a native reader has to read twice. */
interface Pattern {
  readonly name: string;
  readonly expression: RegExp;
  /** It counts only in the comment on the first line of a file. */
  readonly inFileHeads?: true;
}

const clauseStart = "(?:^|[.:;,(] |[-–] )";

/** The patterns, each with the expression that finds it. Inline code is taken away before. */
const patterns: readonly Pattern[] = [
  {
    name: "clause without a noun",
    expression: new RegExp(
      [
        // Questions may begin with these words.
        String.raw`(?:^|[.:;] )(?:Who|What|Whoever|Whatever|who|whoever)\b(?![^.:;]*\?)`,
        String.raw`\b(?:and|or|for|of|by|to|from|than|with|but|as|besides?|not) (?:who|whoever|whatever)\b`,
        String.raw`\bwhat (?:is|was|are|were) (?:there|not|no|left|told|known|said|asked|looked|nobody|beyond)\b`,
        String.raw`\bwhat (?:it|they) (?:is|are) about\b|\bgiven up what\b`,
        String.raw`\bwhoever\b`,
      ].join("|"),
    ),
  },
  {
    name: "genitive without a subject",
    expression: /(?:^|[.:;] )(?:Of (?!course)|As (?:that|those) of\b|To which\b|For whom\b)/,
  },
  {
    name: "data that tell, know or are asked",
    expression:
      /\b(?:is|are|was|were|be|been|being) (?:told|said|asked)\b|\b(?:told|tells|tell) (?:of|it|others|them|him|people)\b|\bare known\b/,
  },
  {
    name: "so many, so long",
    expression: new RegExp(
      String.raw`${clauseStart}(?:(?:[Ww]ith )?[Ss]o (?:many|long|often|much)\b(?! as| that)|How often it is\b|Code \d+ for who\b)`,
    ),
  },
  {
    name: "foreign idiom",
    expression: new RegExp(
      [
        String.raw`\banew\b`,
        String.raw`\bbeside (?!each other|the point)`,
        String.raw`(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|one|such|way|need|different|better|worse|older|newer|larger|smaller)`,
        String.raw`(?<=\bwhat |\bwhat )(?:there is|is there)\b`,
        String.raw`\bthat there (?:is|are) (?:some|not|none)\b`,
        String.raw`\bever again\b`,
        String.raw`\b(?:let|lets|letting) go\b`,
        String.raw`\b(?:if|where|that) (?:it|he|one|they) (?:is|are) none\b`,
        String.raw`^Let it be\b`,
        String.raw`\bneed be\b`,
        String.raw`\bgoes? (?:to|into) nobody\b`,
        String.raw`\b(?:that|this|it) is all the same\b`,
      ].join("|"),
    ),
  },
  {
    name: "people where there are programs",
    expression: /\b(?:he|him|his|she|her|nobody|everybody|somebody|anybody|nobody's)\b/i,
  },
  {
    name: "riddle for a file head",
    expression:
      /^(?:What|Who|Whose|When|Where|Which|How|That|Whether|If|Tells|Says|Gives|Lets|Knows|Keeps|From|As|So)\b/,
    inFileHeads: true,
  },
  {
    name: "private vocabulary",
    expression:
      /\b(?:seat(?:s|ed)?|unseat\w*|shelter(?:s|ed)?|acquaintances?|tilt(?:s|ed)?|a moment later|some moment|residents?|probers?|(?:is|are|was|were) looked(?! up)|in the making|heralds?)\b/i,
  },
  {
    name: "title that needs its neighbours",
    expression: /^(?:that |and |but |who |which |so is |so does |those )/,
  },
];

/** A place where `pattern` was found, with the prose around it. */
export interface Hit {
  readonly pattern: string;
  readonly prose: Prose;
}

/** At most one hit per pattern and piece of prose, in the order of the files. */
export function languageHits(files: readonly SourceFile[]): Hit[] {
  return proseOf(files).flatMap((prose) => {
    const text = prose.text.replace(/`[^`]*`|"[^"]*"/g, "`…`");
    return patterns
      .filter(
        ({ expression, inFileHeads }) =>
          !(inFileHeads && !prose.isFileHead) && expression.test(text),
      )
      .map(({ name }) => ({ pattern: name, prose }));
  });
}

/** The figure a package is measured by. */
export interface LanguageFigure {
  readonly hits: number;
  readonly lines: number;
  readonly perThousandLines: number;
}

/** Hits in all prose below `folder`, per 1 000 lines of its TypeScript and JavaScript. */
export function languageFigure(files: readonly SourceFile[], folder: string): LanguageFigure {
  const own = files.filter(({ path }) => isWritten(path) && path.startsWith(`${folder}/`));
  const lines = own
    .filter(({ path }) => /\.[jt]s$/.test(path))
    .reduce((sum, { text }) => sum + text.split("\n").length, 0);
  const hits = languageHits(own).length;
  return { hits, lines, perThousandLines: (1000 * hits) / Math.max(1, lines) };
}

/** Recorded and golden texts are quotations, and a changelog is history. */
const isWritten = (path: string) =>
  !/\/test\/(?:.*\/)?(?:golden|recorded|reference|fixtures)\/|CHANGELOG/.test(path);
