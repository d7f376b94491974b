import type { UsageError } from '../command.js';
import { didYouMean } from '../output/print.js';
import { declaredIn, type Json, schemaOf, typesOf } from './schema-types.js';
import { faultInWord, strayWord } from './word-fault.js';

/** One value for one argument. */
export interface Assignment {
  readonly key: string;
  readonly text: string;
  /** Written with `:=`: the text is a JSON value. */
  readonly isJson: boolean;
}

type Sign = '=' | ':=' | ':';

interface Reading extends Assignment {
  readonly sign: Sign;
}

/** `--name`, with or without a value. A number below zero is no option. */
export function looksLikeOption(word: string): boolean {
  return /^--[^-=\s]/.test(word);
}

/**
 * The ways to read `key=value`, `key:=json` or `key:value`. Two for `a:b=c`, whose key may be `a` or `a:b`. JSON text
 * has no sign before its first bracket or quote; a key contains neither.
 */
export function readingsOf(word: string): readonly Reading[] {
  const [, beforeColon] = /^([^-=:{}[\]"'\s][^=:{}[\]"'\s]*):(?!=)/.exec(word) ?? [];
  const [, beforeEqual, sign] = /^([^-={}[\]"\s][^={}[\]"\s]*?)(:?=)/.exec(word) ?? [];
  const readings: Reading[] = [];
  if (beforeColon !== undefined) readings.push(readingOf(word, beforeColon, ':'));
  if (beforeEqual !== undefined) readings.push(readingOf(word, beforeEqual, sign as Sign));
  return readings;
}

function readingOf(word: string, key: string, sign: Sign): Reading {
  return { key, sign, text: word.slice(key.length + sign.length), isJson: sign === ':=' };
}

/**
 * Reads words by the names and types in the tool's schema.
 *
 * @param ownOptions - Options of the command, for suggestions.
 * @throws {UsageError} A word has no value, no name, or more than one meaning.
 */
export function assignmentsIn(words: readonly string[], schema: Json, ownOptions: readonly string[]): Assignment[] {
  const reader = new WordReader(words, schema, ownOptions);
  const found: Assignment[] = [];
  while (!reader.isAtEnd) found.push(reader.next());
  return found;
}

/**
 * `key=value` words whose values are text, as prompts have them.
 *
 * @throws {UsageError} A word has another form.
 */
export function textsByKey(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.map((word, index) => {
    const pair = readingsOf(word).find(({ sign }) => sign !== ':');
    if (pair === undefined) throw strayWord(words, index);
    return [pair.key, pair.text] as const;
  });
  return Object.fromEntries(pairs);
}

class WordReader {
  readonly #words: readonly string[];
  readonly #schema: Json;
  readonly #declared: readonly string[];
  readonly #ownOptions: readonly string[];
  #at = 0;

  constructor(words: readonly string[], schema: Json, ownOptions: readonly string[]) {
    this.#words = words;
    this.#schema = schema;
    this.#declared = Object.keys(declaredIn(schema));
    this.#ownOptions = ownOptions;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  next(): Assignment {
    const found = looksLikeOption(this.#word) ? this.#option() : this.#pair();
    this.#at += 1;
    return found;
  }

  get #word(): string {
    return this.#words[this.#at] ?? '';
  }

  get #takesOthers(): boolean {
    return this.#schema.additionalProperties !== false;
  }

  /** The schema names no argument and allows any. */
  get #isOpen(): boolean {
    return this.#declared.length === 0 && this.#takesOthers;
  }

  #pair(): Assignment {
    const reading = this.#reading();
    if (reading.sign !== ':' || reading.text !== '') return reading;
    return { ...reading, text: this.#takeNext(`${reading.key}=`) };
  }

  #reading(): Reading {
    const readings = readingsOf(this.#word);
    const declared = readings.filter(({ key }) => this.#declared.includes(key));
    const possible = declared.length > 0 || !this.#isOpen ? declared : readings;
    const [first, second] = possible;
    if (first && second) {
      throw this.#fault(`"${shown(this.#word)}" has two meanings: ${meaning(first)} or ${meaning(second)}.`, {
        hint: `Write ${first.key}=${shown(first.text)}, or an object.`,
      });
    }
    if (first) return first;
    const [any] = readings;
    if (any === undefined) throw strayWord(this.#words, this.#at);
    const unlisted = readings.find(({ sign }) => sign !== ':');
    if (unlisted && this.#takesOthers) return unlisted;
    throw this.#noSuchArgument(any.key, any);
  }

  #option(): Assignment {
    const [, name = '', sign, value = ''] = /^--([^=]+?)(?:(:?=)([\s\S]*))?$/.exec(this.#word) ?? [];
    const { key, isNegated } = this.#named(name, sign !== undefined);
    if (isNegated) return { key, text: 'false', isJson: false };
    if (sign !== undefined) return { key, text: value, isJson: sign === ':=' };
    const types = typesOf(schemaOf(key, this.#schema), this.#schema);
    const next = this.#words[this.#at + 1];
    if (types.has('boolean') && next !== 'true' && next !== 'false') {
      const takesText = [...types].some((type) => type !== 'boolean' && type !== 'null');
      if (!takesText || next === undefined || this.#isArgument(next)) return { key, text: 'true', isJson: false };
    }
    return { key, text: this.#takeNext(`--${name}=`), isJson: false };
  }

  /** The argument that an option names: `--max-results` is `max_results` or `maxResults`, too. */
  #named(name: string, hasValue: boolean): { readonly key: string; readonly isNegated: boolean } {
    const same = this.#alike(name);
    if (same.length > 1) {
      throw this.#fault(`"--${shown(name)}" can mean ${same.map((key) => `"${shown(key)}"`).join(' or ')}.`, {
        hint: 'Write the name as the tool has it.',
      });
    }
    const [key] = same;
    if (key !== undefined) return { key, isNegated: false };
    const [negated, ...others] = name.startsWith('no-') && !hasValue ? this.#alike(name.slice('no-'.length)) : [];
    if (negated !== undefined && others.length === 0 && this.#isFlag(negated)) return { key: negated, isNegated: true };
    if (this.#isOpen) return { key: name, isNegated: false };
    throw this.#noSuchArgument(name, undefined);
  }

  #alike(name: string): readonly string[] {
    if (this.#declared.includes(name)) return [name];
    return this.#declared.filter((key) => folded(key) === folded(name));
  }

  #isFlag(key: string): boolean {
    return typesOf(schemaOf(key, this.#schema), this.#schema).has('boolean');
  }

  /** @param direct - How to write a value that could be something else. */
  #takeNext(direct: string): string {
    const next = this.#words[this.#at + 1];
    if (next === undefined) {
      throw this.#fault(`"${shown(this.#word)}" has no value.`, { hint: `For an empty text write ${shown(direct)}` });
    }
    if (this.#isArgument(next)) {
      throw this.#fault(`"${shown(this.#word)}" has no value: "${shown(next)}" follows, which is an argument itself.`, {
        hint: `If that is the value, write '${shown(`${direct}${next}`)}'.`,
      });
    }
    this.#at += 1;
    return next;
  }

  #isArgument(word: string): boolean {
    return /^-[^-\d.]|^--./.test(word) || readingsOf(word).some(({ key }) => this.#declared.includes(key));
  }

  #noSuchArgument(name: string, reading: Reading | undefined): UsageError {
    const own = reading === undefined ? this.#ownOptions : [];
    const nearest = didYouMean(name, [...this.#declared, ...own]);
    const unlisted =
      this.#takesOthers && (reading === undefined || reading.sign === ':') && nearest === ''
        ? ` Write ${shown(name)}=... to send one that it does not list.`
        : '';
    const names = this.#declared.slice(0, 50).map(shown).join(', ') || 'none';
    return this.#fault(`The tool has no argument "${shown(name)}".`, {
      hint: `${nearest}Its arguments: ${names}.${unlisted}`,
    });
  }

  #fault(message: string, options: { readonly hint?: string }): UsageError {
    return faultInWord(message, { words: this.#words, index: this.#at }, options);
  }
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-_.]/g, '');
}

function meaning({ key, text }: Reading): string {
  return `${shown(key)} = "${shown(text)}"`;
}

function shown(text: string): string {
  return text.slice(0, 80);
}
