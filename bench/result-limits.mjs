// Promise: a result of 300 kB reaches a model as at most 2,000 tokens (p95), nothing of it is lost, and a short one costs
// nothing. Results of many kinds, counted as JSON with all their fields: node bench/result-limits.mjs
import { randomBytes, randomUUID } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createRegistry } from '../packages/mcp-registry/dist/index.js';
import { limitResults } from '../packages/mcp-registry/dist/interceptors.js';
import { medianOf, numbersFrom, printConditions, printTable } from './measurement.mjs';

const {
  kilobytes: KILOBYTES,
  variants: VARIANTS,
  rounds: ROUNDS,
} = numbersFrom({
  kilobytes: 300,
  variants: 8,
  rounds: 20,
});
const LENGTH = KILOBYTES * 1_000;
const WORDS = 'the server returned each row with its owner and a note about what changed since last week'.split(' ');

const pick = (list, at) => list[(at * 7_919) % list.length];
const sentence = (at, length = 12) => Array.from({ length }, (_, word) => pick(WORDS, at + word * 3)).join(' ');
const fill = (make) => {
  const pieces = [];
  for (let length = 0, at = 0; length < LENGTH; at++) {
    const piece = make(at);
    pieces.push(piece);
    length += piece.length;
  }
  return pieces;
};
const text = (value) => ({ type: 'text', text: value });
const row = (at) => ({ id: at, name: `row ${at}`, email: `user${at}@example.com`, note: sentence(at), score: at / 7 });

const kinds = {
  'a log': (seed) => [
    text(
      fill((at) => `2026-11-27T10:${at % 60}:00Z ERROR [worker-${seed}] ${randomUUID()} ${sentence(at)}`).join('\n'),
    ),
  ],
  'JSON, a list of objects': () => [
    text(JSON.stringify(fill((at) => JSON.stringify(row(at))).map((each) => JSON.parse(each)))),
  ],
  'JSON, nested and indented': () => {
    const users = fill((at) => JSON.stringify(row(at))).map((each) => ({ user: JSON.parse(each), tags: ['a', 'b'] }));
    return [text(JSON.stringify({ total: users.length, data: { users } }, null, 2))];
  },
  'JSON, one long text': () => [text(JSON.stringify({ ok: true, body: fill(sentence).join('\n') }))],
  'JSON lines': () => [text(fill((at) => JSON.stringify(row(at))).join('\n'))],
  HTML: () => [
    text(
      `<!doctype html><body>${fill((at) => `<div class="row c${at % 9}"><a href="/u/${at}">${sentence(at)}</a></div>`).join('')}`,
    ),
  ],
  prose: () => [text(fill((at) => `${sentence(at, 40)}.`).join('\n\n'))],
  'source code': () => [
    text(fill((at) => `export function step${at}(value: number): number {\n  return value * ${at};\n}\n`).join('\n')),
  ],
  CSV: () => [text(fill((at) => Object.values(row(at)).join(',')).join('\n'))],
  'base64 as text': () => [text(randomBytes(LENGTH * 0.75).toString('base64'))],
  'hexadecimal, one line': () => [text(randomBytes(LENGTH / 2).toString('hex'))],
  'Chinese text': () => [
    text('模型上下文协议是一个开放协议，它标准化了应用程序提供上下文的方式。'.repeat(LENGTH / 100)),
  ],
  emoji: () => [text('😀🚀🎉👩‍💻🏳️‍🌈'.repeat(LENGTH / 50))],
  'random characters': () => [
    text(
      Array.from({ length: LENGTH / 3 }, () => String.fromCodePoint(0x100 + Math.floor(Math.random() * 0x2fff))).join(
        '',
      ),
    ),
  ],
  'many text blocks': () => fill(sentence).map(text),
  'many blocks with annotations': () =>
    fill(sentence).map((each) => ({ ...text(each), annotations: { priority: 0.5 } })),
  'an image': () => [{ type: 'image', data: randomBytes(LENGTH * 0.75).toString('base64'), mimeType: 'image/png' }],
  'twenty images': () =>
    Array.from({ length: 20 }, () => ({
      type: 'image',
      data: randomBytes(LENGTH * 0.0375).toString('base64'),
      mimeType: 'image/png',
    })),
  'an embedded file': () => [
    {
      type: 'resource',
      resource: {
        uri: 'file:///a.pdf',
        mimeType: 'application/pdf',
        blob: randomBytes(LENGTH * 0.75).toString('base64'),
      },
    },
  ],
  'an embedded text': () => [
    { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: fill(sentence).join('\n') } },
  ],
  'resource links': () =>
    fill((at) => `file:///data/${at}/report.md`).map((uri, at) => ({
      type: 'resource_link',
      uri,
      name: `Report ${at}`,
    })),
};
const structured = {
  'structured content': (rows) => ({ rows }),
  'structured content beside its text': (rows) => ({ rows }),
};

let given;
const registry = createRegistry({ interceptors: [limitResults()] });
registry.register({ name: 'answer', description: 'Answers' }, () => given);
const outputSchema = { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] };
registry.register({ name: 'rows', description: 'Answers with rows', outputSchema }, () => given);

const all = [];
const rows = [];
for (const [kind, make] of Object.entries(kinds)) await measure(kind, 'answer', (seed) => ({ content: make(seed) }));
for (const [kind, make] of Object.entries(structured)) {
  await measure(kind, 'rows', () => {
    const structuredContent = make(fill((at) => JSON.stringify(row(at))).map((each) => JSON.parse(each)));
    const content = kind.includes('text') ? [text(JSON.stringify(structuredContent))] : [];
    return { content, structuredContent };
  });
}
printTable(`A result of ${KILOBYTES} kB`, [
  ['kind', 'tokens, whole', 'tokens, limited: p50', 'most', 'ms per MB'],
  ...rows,
]);
printTable('All results', [
  ['', 'tokens'],
  ['p50', partOf(all, 0.5)],
  ['p95', partOf(all, 0.95)],
  ['most', Math.max(...all)],
]);
await printSmall();
await registry.close();
printConditions({
  how: ['o200k tokens of the result as JSON', `${VARIANTS} results of each kind`, `${ROUNDS} rounds`],
});

async function measure(kind, tool, make) {
  const counts = [];
  const times = [];
  let whole = 0;
  for (let seed = 0; seed < VARIANTS; seed++) {
    given = make(seed);
    const json = JSON.stringify(given);
    if (seed === 0) whole = tokensOf(json);
    const start = performance.now();
    const result = await registry.call(tool);
    times.push((performance.now() - start) / (json.length / 1_000_000));
    counts.push(countTokens(JSON.stringify(result)));
    if (seed === 0) await checkPages(result);
  }
  all.push(...counts);
  rows.push([kind, whole.toLocaleString('en'), partOf(counts, 0.5), Math.max(...counts), medianOf(times).toFixed(1)]);
}

/** In pieces, because the counter is slow for a long run of one alphabet. */
function tokensOf(json) {
  let tokens = 0;
  for (let at = 0; at < json.length; at += 2_000) tokens += countTokens(json.slice(at, at + 2_000));
  return tokens;
}

/** All pages of the result, of which none is long. */
async function checkPages(result) {
  const [, id] = /\\"id\\":\\"(\w+)\\"/.exec(JSON.stringify(result.content)) ?? [];
  if (id === undefined) throw new Error('The result was not limited');
  let length = 0;
  for (let offset = 0; offset !== undefined; ) {
    const page = await registry.call('read_mcp_result', { id, offset });
    length += page.content[0].text.length;
    const next = /"offset":(\d+)/.exec(page.content[1].text)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  if (length === 0) throw new Error('The pages are empty');
}

async function printSmall() {
  given = { content: [text(sentence(1, 60))] };
  const plain = createRegistry();
  plain.register({ name: 'answer', description: 'Answers' }, () => given);
  const cells = [];
  for (const each of [plain, registry]) {
    const times = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const start = performance.now();
      for (let call = 0; call < 2_000; call++) await each.call('answer');
      if (round > 0) times.push((performance.now() - start) / 2);
    }
    cells.push(medianOf(times));
  }
  await plain.close();
  printTable('A call with a short result', [
    ['', 'µs'],
    ['without the limit', cells[0].toFixed(1)],
    ['with it', cells[1].toFixed(1)],
  ]);
}

function partOf(counts, part) {
  return counts.toSorted((a, b) => a - b)[Math.min(counts.length - 1, Math.floor(counts.length * part))];
}
