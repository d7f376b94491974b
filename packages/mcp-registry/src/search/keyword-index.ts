import type { SearchDocument } from './search-document.js';
import { tokenize, tokenizeName } from './tokenize.js';
import { STOP_WORDS } from './words.js';

/** How much a word counts where it stands, and how far the length of that text takes it back (BM25F). */
const FIELDS = [
  { field: 'name', weight: 1.5, lengthShare: 0.15 },
  { field: 'server', weight: 2.5, lengthShare: 0.3 },
  { field: 'title', weight: 1.5, lengthShare: 0.3 },
  { field: 'keywords', weight: 1.5, lengthShare: 0.3 },
  { field: 'lead', weight: 1.5, lengthShare: 0.5 },
  { field: 'rest', weight: 0.6, lengthShare: 0.5 },
  { field: 'parameters', weight: 0.8, lengthShare: 0.75 },
  { field: 'parameterDescriptions', weight: 0.3, lengthShare: 0.75 },
] as const;

type Field = (typeof FIELDS)[number]['field'];

const MAX_INDEXED_DESCRIPTION = 1_500;

/** One tool as words. Depends on that tool alone, so it serves every index that the tool is in. */
export interface TokenizedTool {
  readonly name: string;
  /** The distinct words of the tool's own name. */
  readonly nameWords: ReadonlySet<string>;
  /** For each word, how often it stands in each of the fields. */
  readonly counts: ReadonlyMap<string, readonly number[]>;
  readonly lengths: readonly number[];
}

/** Which tools a word stands in, as places in `KeywordIndex.tools`, and its weight in each. */
export interface Posting {
  readonly places: readonly number[];
  readonly weights: readonly number[];
}

export interface KeywordIndex {
  readonly tools: readonly TokenizedTool[];
  readonly postings: ReadonlyMap<string, Posting>;
}

export function tokenizeTool(document: SearchDocument): TokenizedTool {
  const name = tokenizeName(document.tool);
  const server = tokenizeName(document.server);
  const { lead, rest } = splitDescription(document.description.slice(0, MAX_INDEXED_DESCRIPTION));
  const words: Record<Field, readonly string[]> = {
    name: [...name.words, ...name.joined.filter((word) => !name.words.includes(word))],
    server: [...server.words, ...server.joined.filter((word) => !server.words.includes(word))],
    title: prose(document.title),
    keywords: document.keywords.flatMap(prose),
    lead: prose(lead),
    rest: prose(rest),
    parameters: document.parameters.flatMap(prose),
    parameterDescriptions: document.parameterDescriptions.flatMap(prose),
  };
  const counts = new Map<string, number[]>();
  for (const [place, { field }] of FIELDS.entries()) {
    for (const word of words[field]) {
      const row = counts.get(word) ?? FIELDS.map(() => 0);
      row[place] = (row[place] ?? 0) + 1;
      counts.set(word, row);
    }
  }
  const lengths = FIELDS.map(({ field }) => words[field].length);
  return { name: document.name, nameWords: new Set(name.words), counts, lengths };
}

export function buildKeywordIndex(tools: readonly TokenizedTool[]): KeywordIndex {
  const averages = FIELDS.map((_, place) => {
    const lengths = tools.map((tool) => tool.lengths[place] ?? 0).filter((length) => length > 0);
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  });
  const postings = new Map<string, { readonly places: number[]; readonly weights: number[] }>();
  for (const [place, tool] of tools.entries()) {
    const scales = FIELDS.map(({ weight, lengthShare }, field) => {
      const relativeLength = (tool.lengths[field] ?? 0) / (averages[field] ?? 1);
      return weight / (1 - lengthShare + lengthShare * relativeLength);
    });
    for (const [word, counts] of tool.counts) {
      const posting = postings.get(word) ?? { places: [], weights: [] };
      posting.places.push(place);
      // A field without words has no length to divide by, and no count either.
      posting.weights.push(
        counts.reduce((sum, count, field) => (count === 0 ? sum : sum + count * (scales[field] ?? 0)), 0),
      );
      postings.set(word, posting);
    }
  }
  return { tools, postings };
}

function prose(text: string): readonly string[] {
  return tokenize(text).filter((word) => !STOP_WORDS.has(word));
}

/** The first sentence says what a tool does; the rest says how. */
function splitDescription(description: string): { readonly lead: string; readonly rest: string } {
  const end = description.search(/[.!?](?:\s|$)|\n|[。！？]/);
  return end < 0 ? { lead: description, rest: '' } : { lead: description.slice(0, end), rest: description.slice(end) };
}
