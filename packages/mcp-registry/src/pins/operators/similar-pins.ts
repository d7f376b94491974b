import { isRecord } from '@x/internal/json';
import type { ToolPin } from '../pin-store.js';
import type { PinnedDefinition } from '../pinned-definition.js';

const MAX_WORDS = 300;
const MAX_TEXT = 20_000;
const MIN_WORDS = 4;
const MIN_SIMILARITY = 0.8;
/** Least ratio of lengths: a long text contains nearly every short one. */
const MIN_LENGTH_RATIO = 0.25;

interface SimilarPin {
  readonly pin: ToolPin;
  readonly similarity: number;
}

/**
 * The approved tool with the most similar text, except its namesake. Measures the share of the shorter text in the
 * longer one, so that added text hides no copy.
 */
export function nearestPin(tool: PinnedDefinition, pins: Iterable<ToolPin>): SimilarPin | undefined {
  const words = wordsOf(tool);
  let nearest: SimilarPin | undefined;
  for (const pin of pins) {
    if (pin.tool === tool.name) continue;
    const similarity = similarityOf(words, wordsOf(pin.definition));
    if (similarity >= MIN_SIMILARITY && similarity > (nearest?.similarity ?? 0)) nearest = { pin, similarity };
  }
  return nearest;
}

function similarityOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const [short, long] = [Math.min(left.size, right.size), Math.max(left.size, right.size)];
  if (short < MIN_WORDS || short < long * MIN_LENGTH_RATIO) return 0;
  let common = 0;
  for (const word of left) if (right.has(word)) common++;
  return Math.round((100 * common) / short) / 100;
}

// A cache: definitions are frozen.
const known = new WeakMap<PinnedDefinition, ReadonlySet<string>>();

function wordsOf(tool: PinnedDefinition): ReadonlySet<string> {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const texts = [tool.title, tool.description, ...textsOfProperties(tool)];
  const text = texts
    .filter((each) => typeof each === 'string')
    .join(' ')
    .slice(0, MAX_TEXT);
  const all = Array.from(text.toLowerCase().matchAll(/[\p{L}\p{N}]{2,40}/gu), ([word]) => word);
  const words = new Set(all.slice(0, MAX_WORDS));
  known.set(tool, words);
  return words;
}

function textsOfProperties({ inputSchema: { properties } }: PinnedDefinition): readonly unknown[] {
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => [name, isRecord(schema) && schema.description]);
}
