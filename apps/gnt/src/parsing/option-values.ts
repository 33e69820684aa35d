/**
 * Option values of a command line: yargs parses the words by the definitions, and each value is
 * checked at once.
 */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { JsonError, parseJson, pythonLiteral } from "@ganeti-ts/protocol";
import yargs from "yargs";
import type { Option } from "../command.js";
import { parameterError, UsageError } from "../errors.js";
import type { IdParameters, OptionValues } from "../invocation.js";
import { type PlainArguments, plainArguments } from "./gnu-arguments.js";
import { commaList, idKeyValues, keyValues, manyIdKeyValues } from "./key-values.js";
import { mebibytes } from "./size.js";

export interface Parsed {
  readonly args: readonly string[];
  readonly options: OptionValues;
}

/**
 * `mixed`: options may follow arguments. @throws UsageError, and GanetiError of class
 * ParameterError
 */
export function parse(words: readonly string[], options: readonly Option[], mixed = true): Parsed {
  const plain = plainArguments(words, options, mixed);
  const texts = yargs([...plain.options])
    .help(false)
    .version(false)
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .options(Object.fromEntries(options.map(({ name, type }) => [name, { type: yargsType(type) }])))
    .exitProcess(false)
    .strictOptions()
    .fail((message, error) => {
      throw error ?? new UsageError(message);
    })
    .parseSync();
  const values = options.flatMap((option) => {
    const given = texts[option.name];
    return given === undefined ? [] : [[option.name, valuesOf(option, given, plain)] as const];
  });
  return { args: plain.rest, options: new Values(new Map(values), options) };
}

const yargsType = (type: Option["type"]) =>
  type === "flag" ? "boolean" : type === "count" ? "count" : "string";

/** Texts from yargs are converted here, because yargs would wrap our errors in its own. */
function valuesOf(option: Option, given: unknown, { spelling }: PlainArguments): unknown {
  if (typeof given !== "string" && !Array.isArray(given)) return given;
  const spelled = spelling.get(option.name) ?? "";
  const all = [given].flat().map((text) => readValue(option, text, spelled));
  return option.repeatable ? all : all.at(-1);
}

type Value = Json | IdParameters | readonly Readonly<Record<string, JsonObject>>[];

function readValue(option: Option, text: string, spelled: string): Value {
  const wrong = (what: string) => new UsageError(`option ${spelled}: ${what}`);
  if (option.choices !== undefined && !option.choices.includes(text)) {
    const choices = option.choices.map((one) => `'${one}'`).join(", ");
    throw wrong(`invalid choice: ${pythonLiteral(text)} (choose from ${choices})`);
  }
  switch (option.type) {
    case "flag":
    case "count":
    case "text":
      return text;
    case "integer":
      if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
      throw wrong(`invalid integer value: ${pythonLiteral(text)}`);
    case "number":
      if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
      throw wrong(`invalid floating-point value: ${pythonLiteral(text)}`);
    case "size":
      try {
        return mebibytes(text);
      } catch (error) {
        throw wrong((error as Error).message);
      }
    case "yes-no":
      if (/^(?:yes|true)$/i.test(text)) return true;
      if (/^(?:no|false)$/i.test(text)) return false;
      throw parameterError(`Invalid boolean value '${text.toLowerCase()}'`);
    case "list":
      return text === "" ? [] : commaList(text);
    case "key-values":
      return keyValues(spelled, text);
    case "id-key-values":
      return idKeyValues(spelled, text);
    case "many-id-key-values":
      return manyIdKeyValues(spelled, text);
    case "json":
      try {
        return parseJson(text);
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
        throw wrong(`invalid JSON: ${error.message}`);
      }
  }
}

class Values implements OptionValues {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #options: readonly Option[];

  constructor(values: ReadonlyMap<string, unknown>, options: readonly Option[]) {
    this.#values = values;
    this.#options = options;
  }

  knows = (name: string) => this.#options.some((option) => option.name === name);

  has(name: string): boolean {
    const value = this.#value(name);
    return value !== undefined && value !== 0;
  }

  value(name: string): Json | undefined {
    const value = this.#value(name) as Json | undefined;
    return this.#option(name).type === "flag" ? value === true || undefined : value;
  }

  flag = (name: string) => this.#value(name, "flag") === true;
  count = (name: string) => (this.#value(name, "count") as number | undefined) ?? 0;
  text = (name: string) => this.#value(name, "text") as string | undefined;
  texts = (name: string) => (this.#value(name, "text") as readonly string[] | undefined) ?? [];
  integer = (name: string) => this.#value(name, "integer") as number | undefined;
  number = (name: string) => this.#value(name, "number") as number | undefined;
  mebibytes = (name: string) => this.#value(name, "size") as number | undefined;
  yesNo = (name: string) => this.#value(name, "yes-no") as boolean | undefined;
  list = (name: string) => this.#value(name, "list") as readonly string[] | undefined;
  keyValues = (name: string) => this.#value(name, "key-values") as JsonObject | undefined;
  json = (name: string) => this.#value(name, "json") as Json | undefined;

  /** A list of one for an option that is not repeatable. */
  idKeyValues(name: string): readonly IdParameters[] {
    const value = this.#value(name, "id-key-values") as IdParameters | readonly IdParameters[];
    if (value === undefined) return [];
    return this.#option(name).repeatable
      ? (value as readonly IdParameters[])
      : [value as IdParameters];
  }

  manyIdKeyValues = (name: string) =>
    this.#value(name, "many-id-key-values") as
      | readonly Readonly<Record<string, JsonObject>>[]
      | undefined;

  #value(name: string, type?: Option["type"]): unknown {
    const option = this.#option(name);
    if (type !== undefined && option.type !== type) {
      throw new Error(`option ${name} is read as ${type}, but is ${option.type}`);
    }
    return this.#values.get(name);
  }

  #option(name: string): Option {
    const option = this.#options.find((one) => one.name === name);
    if (option === undefined) throw new Error(`the command has no option ${name}`);
    return option;
  }
}
