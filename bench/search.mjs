// Promise: the right tool is found among ten thousand in less than a millisecond, and a server comes and goes without a
// rebuild. Beside MiniSearch with its defaults, over the same fields of the same tools: node --expose-gc bench/search.mjs
import { readFileSync } from 'node:fs';
import MiniSearch from 'minisearch';
import { register } from 'tsx/esm/api';
import { catalogOf } from './catalog.mjs';
import { medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';
import { loadPublished } from './published-module.mjs';

register();
const { QUERIES, TOOLS, toDocument } = await import(
  '../packages/mcp-registry/test/search/evaluation/evaluation-set.ts'
);
const { measureSearch } = await import('../packages/mcp-registry/test/search/evaluation/figures.ts');
const { KeywordIndex } = await loadPublished('../packages/mcp-registry/src/search/index/keyword-index.ts');

const FIELDS = ['tool', 'server', 'description', 'parameters', 'parameterDescriptions'];
const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const peerName = 'minisearch';
const SMALL = 10_000;
const { rounds: ROUNDS, most } = numbersFrom({ rounds: 5, most: 100_000 });
const sizes = most > SMALL ? [SMALL, most] : [most];

const contenders = {
  '@x/mcp-registry': () => {
    const index = new KeywordIndex();
    return {
      add: (document) => index.add(document),
      remove: ({ name }) => index.remove(name),
      find: (query, limit) => index.rank(query, { limit }).ranked.map(({ name }) => name),
    };
  },
  [peerName]: () => {
    // It joins a list of texts with commas, which its tokenizer takes for spaces.
    const index = new MiniSearch({ idField: 'name', fields: FIELDS });
    return {
      add: (document) => index.add(document),
      remove: (document) => index.remove(document),
      find: (query, limit) =>
        index
          .search(query)
          .slice(0, limit)
          .map(({ id }) => id),
    };
  },
};

printQuality();
for (const size of sizes) printSpeed(size);
printConditions({
  how: [`${ROUNDS} interleaved rounds`, '"best": of each query the fastest round, "all": every round'],
  peers: [`minisearch ${devDependencies.minisearch}`],
});

function printQuality() {
  const rows = Object.entries(contenders).map(([name, open]) => {
    const cells = ['own', 'all'].flatMap((mode) => {
      const macro = measureSearch(TOOLS, QUERIES, mode, (tools) => {
        const index = open();
        for (const tool of tools) index.add(toDocument(tool));
        return (query) => index.find(query, 50);
      }).get('macro');
      return [macro.hitAt1, macro.recallAt5, macro.ndcgAt10].map((value) => value.toFixed(1));
    });
    return [name, ...cells];
  });
  const head = ['own', 'all'].flatMap((mode) => [`${mode}: hit@1`, 'recall@5', 'nDCG@10']);
  printTable('What is found, percent, mean over the four sources of queries', [['', ...head], ...rows]);
}

function printSpeed(size) {
  const documents = catalogOf(TOOLS, size).map(toDocument);
  const sentences = QUERIES.map(({ query }) => query);
  const keywords = sentences.map(twoWordsOf).filter((query) => query !== '');
  const indexes = new Map();
  const bytes = new Map();
  for (const [name, open] of Object.entries(contenders)) {
    const before = usedBytes();
    const index = open();
    for (const document of documents) index.add(document);
    bytes.set(name, usedBytes() - before);
    indexes.set(name, index);
  }
  requireSameTools(indexes, documents);

  // The peer takes tens of milliseconds for a sentence, at a hundred thousand tools hundreds.
  const share = size > 20_000 ? 20 : 4;
  const some = (queries) => queries.filter((_, at) => at % share === 0);
  const rows = [
    ...latencyRows('two words', some(keywords), indexes),
    ...latencyRows('sentence', some(sentences), indexes),
    ...changeRows(documents, indexes),
  ];
  const perTool = Array.from(bytes, ([name, used]) => [name, (used / size).toFixed(0)]);
  const ratio = bytes.get('@x/mcp-registry') / bytes.get(peerName);
  rows.push(['bytes of index a tool', perTool[0][1], perTool[1][1], ratio.toFixed(2)]);
  printTable(`${size.toLocaleString('en')} tools`, [['', '@x/mcp-registry', peerName, 'ratio'], ...rows]);
}

/**
 * A round is all queries of one and then all of the other, so that neither meets the caches as the other left them. What
 * else the machine does only ever adds: so for each query the best of the rounds, and beside it all of them.
 */
function latencyRows(kind, queries, indexes) {
  const rounds = new Map(Array.from(indexes.keys(), (name) => [name, queries.map(() => [])]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, index] of indexes) {
      for (const [at, query] of queries.entries()) {
        const took = timed(() => index.find(query, 10));
        if (round > 0) rounds.get(name)[at].push(took);
      }
    }
  }
  const best = Array.from(rounds.values(), (times) => times.map((each) => Math.min(...each)));
  const all = Array.from(rounds.values(), (times) => times.flat());
  return [
    ['p50 of the best ms', best, 0.5],
    ['p99 of the best ms', best, 0.99],
    ['p50 of all ms', all, 0.5],
    ['p99 of all ms', all, 0.99],
  ].map(([label, times, part]) => {
    const [our, their] = times.map((each) => partOf(each, part));
    return [`${kind}, ${label}`, our.toFixed(3), their.toFixed(3), (our / their).toFixed(2)];
  });
}

/** A server with 50 tools goes and comes back. */
function changeRows(documents, indexes) {
  const removed = new Map(Array.from(indexes.keys(), (name) => [name, []]));
  const added = new Map(Array.from(indexes.keys(), (name) => [name, []]));
  for (let round = 0; round <= 20; round++) {
    const from = (round * 997) % (documents.length - 50);
    const part = documents.slice(from, from + 50);
    for (const [name, index] of indexes) {
      const took = [
        timed(() => {
          for (const document of part) index.remove(document);
        }),
        timed(() => {
          for (const document of part) index.add(document);
        }),
      ];
      if (round === 0) continue;
      removed.get(name).push(took[0]);
      added.get(name).push(took[1]);
    }
  }
  return [
    ['remove 50 tools, median ms', removed],
    ['add 50 tools, median ms', added],
  ].map(([label, times]) => {
    const [ours, peers] = Array.from(times.values());
    const cell = (all) => `${medianOf(all).toFixed(2)} (${spreadOf(all, 2)})`;
    return [label, cell(ours), cell(peers), ratioOf(ours, peers).toFixed(2)];
  });
}

/** Both must hold every tool: asked for a whole name, each gives that tool among the first. */
function requireSameTools(indexes, documents) {
  for (let at = 0; at < documents.length; at += Math.floor(documents.length / 20)) {
    const { name, tool, server } = documents[at];
    for (const [contender, index] of indexes) {
      if (index.find(`${server} ${tool}`, 500).includes(name)) continue;
      throw new Error(`${contender} does not find ${name} by its name`);
    }
  }
}

function twoWordsOf(sentence) {
  const words = sentence.toLowerCase().match(/[a-z]{5,}/g) ?? [];
  return words.slice(0, 2).join(' ');
}

function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function partOf(values, part) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function usedBytes() {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
