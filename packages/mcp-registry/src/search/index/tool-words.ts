import { STOP_WORDS } from '../words/stop-words.js';
import { type NameWords, tokenize, tokenizeName } from '../words/tokenize.js';
import type { SearchDocument } from './search-document.js';

/**
 * Weight of a word by field, reduced by the text's length (BM25F). Usual lengths are fixed, so that other tools never
 * affect the weight.
 */
export const FIELDS = [
  { field: 'name', weight: 1.5, lengthShare: 0.15, usualLength: 5 },
  { field: 'server', weight: 2.5, lengthShare: 0.3, usualLength: 3 },
  { field: 'title', weight: 1.5, lengthShare: 0.3, usualLength: 3 },
  { field: 'keywords', weight: 1.5, lengthShare: 0.3, usualLength: 4 },
  { field: 'lead', weight: 1.5, lengthShare: 0.5, usualLength: 10 },
  { field: 'rest', weight: 0.6, lengthShare: 0.5, usualLength: 15 },
  { field: 'parameters', weight: 0.8, lengthShare: 0.75, usualLength: 7 },
  { field: 'parameterDescriptions', weight: 0.3, lengthShare: 0.75, usualLength: 20 },
] as const;

type Field = (typeof FIELDS)[number]['field'];

/** Bits of the tool's own name and its server's, in the order of `FIELDS`. */
export const NAME_BIT = 1;
export const SERVER_BIT = 2;

const SATURATION = 1.2;
/** Upper bound of a word's weight. */
export const MAX_WEIGHT = SATURATION + 1;

interface ToolWords {
  /** Distinct words of the tool's own name, in order. */
  readonly name: readonly string[];
  readonly all: ReadonlyMap<string, ToolWord>;
}

interface ToolWord {
  /** Weight, more than 0 and at most `MAX_WEIGHT`. */
  readonly weight: number;
  /** One bit per field, in the order of `FIELDS`. */
  readonly fields: number;
}

export function readToolWords(document: SearchDocument): ToolWords {
  const name = tokenizeName(document.tool);
  const texts = wordsByField(document, name);
  const sums = new Map<string, { sum: number; fields: number }>();
  for (const [bit, { field, weight, lengthShare, usualLength }] of FIELDS.entries()) {
    const words = texts[field];
    const perWord = weight / (1 - lengthShare + (lengthShare * words.length) / usualLength);
    for (const word of words) {
      const known = sums.get(word);
      if (known === undefined) {
        sums.set(word, { sum: perWord, fields: 1 << bit });
      } else {
        known.sum += perWord;
        known.fields |= 1 << bit;
      }
    }
  }
  const all = new Map<string, ToolWord>();
  for (const [word, { sum, fields }] of sums) {
    all.set(word, { weight: (sum * MAX_WEIGHT) / (SATURATION + sum), fields });
  }
  return { name: Array.from(new Set(name.words)), all };
}

function wordsByField(document: SearchDocument, name: NameWords): Record<Field, readonly string[]> {
  const { lead, rest } = splitDescription(document.description);
  return {
    name: wordsOfName(name),
    server: wordsOfName(tokenizeName(document.server)),
    title: prose(document.title),
    keywords: document.keywords.flatMap(prose),
    lead: prose(lead),
    rest: prose(rest),
    parameters: document.parameters.flatMap(prose),
    parameterDescriptions: document.parameterDescriptions.flatMap(prose),
  };
}

function wordsOfName({ words, joined }: NameWords): readonly string[] {
  return [...words, ...joined.filter((word) => !words.includes(word))];
}

function prose(text: string): readonly string[] {
  return tokenize(text).filter((word) => !STOP_WORDS.has(word));
}

/** The first sentence describes the purpose, the rest describes details. */
function splitDescription(description: string): { readonly lead: string; readonly rest: string } {
  const end = description.search(/[.!?](?:\s|$)|\n|[。！？]/);
  return end < 0 ? { lead: description, rest: '' } : { lead: description.slice(0, end), rest: description.slice(end) };
}
