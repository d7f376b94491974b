import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Registry, ToolSource } from '@x/mcp-registry';
import type { Ranker, RankerFailure } from '@x/mcp-registry/search';
import type { Embed } from './embedding-ranker.js';
import { listenToConsole } from './stage/console.js';

const heard = listenToConsole();

// #region embed
const MEANINGS = [/absen|vacation|sick|holiday/i, /weather|rain|umbrella/i, /pay|invoice|money/i];

/** Stands in for a model: knows three meanings, in whatever words, and nothing else. */
const embed: Embed = async (texts) => texts.map((text) => MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)));
// #endregion embed

const inputSchema = { type: 'object' };
const listeners = new Set<() => void>();
let offered = [
  { name: 'list_absences', description: 'Days on which people of the team do not work', inputSchema },
  { name: 'forecast', description: 'Says whether it will rain', inputSchema },
  { name: 'invoice', description: 'Writes an invoice', inputSchema },
];
const office: ToolSource = {
  name: 'office',
  listTools: () => offered,
  callTool: () => Promise.reject(new Error('not called here')),
  onToolsChanged: (listener) => {
    listeners.add(listener);
    return { [Symbol.dispose]: () => void listeners.delete(listener) };
  },
};

// #region use
import { createRegistry } from '@x/mcp-registry';
import { createEmbeddingRanker } from './embedding-ranker.js';

// #region ranked
const registry = createRegistry({ rankers: [createEmbeddingRanker(embed)] });
// #endregion ranked
registry.attach(office);

const { tools } = await registry.search({ query: 'who is on vacation' });
console.log(tools.map(({ name, coverage }) => `${name} ${coverage}`));
// #endregion use

assert.deepEqual(heard.lines, ["[ 'mcp__office__list_absences 0' ]"]);
assert.deepEqual(await namesFor('xylophone', registry), []);
await comparesWithWords();
await reRanks();
await learnsFromChanges();
await givesUpOnSlowOnes();
await livesWithoutModel();

async function comparesWithWords(): Promise<void> {
  const byWords = createRegistry();
  byWords.attach(office);
  assert.deepEqual(await namesFor('who is on vacation', byWords), []);
}

async function learnsFromChanges(): Promise<void> {
  offered = offered.slice(1);
  for (const listener of listeners) listener();
  assert.deepEqual(await namesFor('who is on vacation', registry), []);
}

async function reRanks(): Promise<void> {
  /** Stands in for a model that reads the query and a text together. */
  const score = async (_query: string, texts: readonly string[]) =>
    texts.map((text) => (/invoice/i.test(text) ? 1 : 0));
  // #region candidates
  const reRanker: Ranker = {
    name: 'cross-encoder',
    async rank(query, { candidates }) {
      const scores = await score(
        query,
        candidates.map(({ description }) => description),
      );
      const order = candidates.map(({ name }, index) => ({ name, score: scores[index] ?? 0 }));
      return order.sort((left, right) => right.score - left.score).map(({ name }) => name);
    },
  };
  // #endregion candidates
  const registry = createRegistry({ rankers: [{ ...reRanker, weight: 2 }] });
  registry.attach(office);
  assert.equal((await namesFor('says or writes', registry))[0], 'invoice');
}

async function givesUpOnSlowOnes(): Promise<void> {
  const answers: (() => void)[] = [];
  const isSlow: Embed = async (texts) => {
    if (texts.length === 1) await new Promise<void>((resolve) => answers.push(resolve));
    return embed(texts, {});
  };
  const registry = createRegistry({ rankers: [{ ...createEmbeddingRanker(isSlow), timeoutMs: 20 }] });
  registry.attach(office);
  const failures: RankerFailure[] = [];
  registry.events.on('ranker-failed', (failure) => void failures.push(failure));
  assert.deepEqual(await namesFor('rain', registry), ['forecast'], 'words decide');
  assert.deepEqual(await namesFor('rain', registry), ['forecast'], 'and it is not asked again meanwhile');
  assert.deepEqual(
    failures.map(({ reason }) => reason),
    ['timed-out'],
  );
  for (const answer of answers) answer();
  await wait(0);
  const again = namesFor('umbrella', registry);
  await wait(0);
  for (const answer of answers) answer();
  assert.deepEqual(await again, ['forecast'], 'it is asked again once it has answered');
}

async function livesWithoutModel(): Promise<void> {
  let isDown = true;
  const embedOverNetwork: Embed = async (texts) => {
    if (isDown) throw new Error('503 of the model');
    return embed(texts, {});
  };
  const registry = createRegistry({ rankers: [createEmbeddingRanker(embedOverNetwork)] });
  registry.attach(office);
  // #region failures
  registry.events.on('ranker-failed', ({ ranker, reason, message }) => console.error(ranker, reason, message));
  // #endregion failures
  assert.deepEqual(await namesFor('rain', registry), ['forecast']);
  assert.match(heard.lines.at(-1) ?? '', /^embeddings threw The ranker "embeddings" failed: 503 of the model/);
  isDown = false;
  assert.deepEqual(
    await namesFor('umbrella', registry),
    ['forecast'],
    'what could not be embedded is, by the next search',
  );
}

async function namesFor(query: string, tools: Registry): Promise<string[]> {
  return (await tools.search({ query })).tools.map(({ tool }) => tool);
}
