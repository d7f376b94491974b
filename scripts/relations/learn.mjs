// Writes which words of tools are related, learned from public texts of tools: node scripts/relations/learn.mjs <folder>
// The folder has the sources, see README.md. Nothing of the evaluation set is read.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { register } from 'tsx/esm/api';
import { root } from '../root.mjs';
import { textsIn, wordsOf } from './sources.mjs';
import { vectorsOf } from './word-vectors.mjs';

register();
const words = join(root, 'packages/mcp-registry/src/search/words');
const { splitRuns } = await import(join(words, 'tokenize.ts'));
const { STOP_WORDS, VAGUE_WORDS } = await import(join(words, 'stop-words.ts'));
const { familyOf } = await import(join(words, 'word-family.ts'));
const { synonymsOf } = await import(join(words, 'synonyms.ts'));

const MAX_VOCABULARY = 14_000;
const MIN_TEXTS = 6;
const DIMENSIONS = 160;
/** Texts with a word that has relations, and tools with a word that is one. */
const MIN_SOURCE_TEXTS = 100;
const MIN_TARGET_TOOLS = 30;
const MAX_RELATIONS = 8;
const MIN_COSINE = 0.4;
/** Lowest cosine above the mean of the nearest neighbors of both words, so that no word is related to many. */
const MIN_ABOVE_NEIGHBORS = -0.06;
const NEIGHBORS = 10;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: node scripts/relations/learn.mjs <folder with the sources>');

const { texts, textCounts, toolCounts } = readTexts();
const vocabulary = Array.from(textCounts)
  .filter(([, count]) => count >= MIN_TEXTS)
  .toSorted(([left, most], [right, count]) => count - most || (left < right ? -1 : 1))
  .slice(0, MAX_VOCABULARY)
  .map(([word]) => word);
const vectors = vectorsOf(texts, vocabulary, DIMENSIONS);
const lines = relationsOf().map(([word, related]) => `${word} ${related.join(' ')}`);
writeFileSync(
  join(words, 'related-words.ts'),
  [
    '/**',
    ' * A word and its related words a line, by `scripts/relations/learn.mjs` from texts of Toucan, docker/mcp-registry and',
    ' * public-apis (MIT), the Berkeley Function-Calling Leaderboard (Apache-2.0), and WordNet 3.1 (Princeton University).',
    ' */',
    'export const RELATED_WORDS = `\\',
    ...lines,
    '`;',
    '',
  ].join('\n'),
);
console.log(`${texts.length} texts, ${vocabulary.length} words, ${lines.length} of them with relations`);

function readTexts() {
  const seen = new Set();
  const texts = [];
  const textCounts = new Map();
  const toolCounts = new Map();
  const count = (counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const each of textsIn(folder)) {
    const found = wordsOf(each, { splitRuns, STOP_WORDS });
    const key = found.join(' ');
    if (found.length < 2 || seen.has(key)) continue;
    seen.add(key);
    texts.push({ words: found, weight: each.weight ?? 1 });
    for (const word of found) count(textCounts, word);
    if (each.isTool)
      for (const word of wordsOf({ ...each, details: '' }, { splitRuns, STOP_WORDS })) count(toolCounts, word);
  }
  return { texts, textCounts, toolCounts };
}

function relationsOf() {
  const isPlain = (word) => word.length <= 14 && !VAGUE_WORDS.has(word);
  const sources = vocabulary.flatMap((word, id) => (isPlain(word) ? [id] : []));
  const targets = sources.filter((id) => (toolCounts.get(vocabulary[id]) ?? 0) >= 4);
  const nearness = new Map(sources.map((id) => [id, nearnessOf(id, targets)]));
  return sources
    .filter((id) => textCounts.get(vocabulary[id]) >= MIN_SOURCE_TEXTS && !hasSynonyms(vocabulary[id]))
    .flatMap((source) => {
      const word = vocabulary[source];
      const near = targets
        .map((target) => ({ target, cosine: cosineOf(source, target) }))
        .map(({ target, cosine }) => ({
          target,
          cosine,
          above: cosine - (nearness.get(source) + nearness.get(target)) / 2,
        }))
        .filter(
          ({ target, cosine, above }) => target !== source && cosine >= MIN_COSINE && above >= MIN_ABOVE_NEIGHBORS,
        )
        .toSorted((left, right) => right.above - left.above)
        .slice(0, MAX_RELATIONS)
        .map(({ target }) => vocabulary[target])
        .filter((other) => toolCounts.get(other) >= MIN_TARGET_TOOLS && !isForm(word, other));
      return near.length === 0 ? [] : [[word, near]];
    })
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** The search asks for no relations of such a word. */
function hasSynonyms(word) {
  return Array.from(synonymsOf(word)).length > 0;
}

/** The search finds forms of a word by itself. */
function isForm(word, other) {
  return familyOf(word) === familyOf(other) || (word.length > 4 && word.slice(0, 5) === other.slice(0, 5));
}

function nearnessOf(id, targets) {
  const nearest = targets.filter((each) => each !== id).map((each) => cosineOf(id, each));
  return (
    Array.from(Float64Array.from(nearest).sort().subarray(-NEIGHBORS)).reduce((sum, each) => sum + each, 0) / NEIGHBORS
  );
}

function cosineOf(left, right) {
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at++) sum += vectors[left * DIMENSIONS + at] * vectors[right * DIMENSIONS + at];
  return sum;
}
