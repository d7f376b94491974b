// Promise: one program in place of many calls takes at least 37 % fewer tokens, with the same result, and starts within 15 ms.
// Ten tasks with fixed results, each as one program and call by call: node bench/code.mjs
import { isDeepStrictEqual } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openCodeRunner } from '../packages/mcp-registry/dist/code.js';
import { createConstantSurface } from '../packages/mcp-registry/dist/index.js';
import { openServices } from './code-services.mjs';
import { tasks } from './code-tasks.mjs';
import { medianOf, numbersFrom, printConditions, printTable } from './measurement.mjs';

const { rounds: ROUNDS } = numbersFrom({ rounds: 200 });
const begun = performance.now();
const code = await openCodeRunner();
const openMs = performance.now() - begun;

const rows = [];
const totals = { calls: 0, one: 0, each: 0, oneRead: 0, eachRead: 0 };
for (const { name, program } of tasks) {
  const { calls, exchange, changes } = await byProgram(program);
  const single = await callByCall(calls);
  if (!isDeepStrictEqual(single.changes, changes)) throw new Error(`${name}: the two ways end differently`);
  if (calls.length < 5 || calls.length > 20) throw new Error(`${name}: ${calls.length} calls`);
  const [one, each] = [costOf(exchange), costOf(single.exchange)];
  totals.calls += calls.length;
  totals.one += one.added;
  totals.each += each.added;
  totals.oneRead += one.read;
  totals.eachRead += each.read;
  rows.push([name, calls.length, each.added, one.added, saved(each.added, one.added), saved(each.read, one.read)]);
}
const all = [totals.each, totals.one, saved(totals.each, totals.one), saved(totals.eachRead, totals.oneRead)];
printTable('Tokens of ten tasks', [
  ['task', 'calls', 'tokens, call by call', 'tokens, one program', 'fewer, %', 'fewer with each turn read again, %'],
  ...rows,
  ['all', totals.calls, ...all],
]);

const starts = [];
const { registry } = await openServices();
const surface = createConstantSurface(registry, { code });
for (let round = 0; round <= ROUNDS; round++) {
  const start = performance.now();
  await surface.call('execute_mcp_code', { code: 'return 1' });
  if (round > 0) starts.push(performance.now() - start);
}
const p95 = starts.toSorted((a, b) => a - b)[Math.floor(starts.length * 0.95)];
printTable('Start of a program', [
  ['', 'ms'],
  ['opening the runner', openMs.toFixed(0)],
  ['a program that returns 1, median', medianOf(starts).toFixed(1)],
  ['a program that returns 1, p95', p95.toFixed(1)],
]);
await registry.close();
await code.close();
printConditions({
  how: ['o200k tokens of definitions, requests and results', `${ROUNDS} programs in turn, after the first`],
});

/** Records which calls the program makes. */
async function byProgram(program) {
  const { registry, changes } = await openServices();
  const calls = [];
  const recorded = {
    call: (name, args, options) => {
      calls.push({ name, args });
      return registry.call(name, args, options);
    },
  };
  const result = await code.run(recorded, { code: program }, {});
  if (result.isError) throw new Error(result.content[0].text);
  const tools = createConstantSurface(registry, { code }).list();
  await registry.close();
  return { calls, changes, exchange: { tools, turns: [turn('execute_mcp_code', { code: program }, result)] } };
}

async function callByCall(calls) {
  const { registry, changes } = await openServices();
  const surface = createConstantSurface(registry);
  const turns = [];
  for (const { name, args } of calls) {
    const request = { name, arguments: args };
    turns.push(turn('call_mcp_tool', request, await surface.call('call_mcp_tool', request)));
  }
  const tools = surface.list();
  await registry.close();
  return { changes, exchange: { tools, turns } };
}

/** The texts that the model writes, and those that it reads then. */
function turn(name, args, { content }) {
  const written = countTokens(JSON.stringify({ name, arguments: args }));
  return written + countTokens(content.map(({ text }) => text).join('\n'));
}

/** `added`: tokens of everything once. `read`: as a provider without a cache counts, which reads all of it again in each turn. */
function costOf({ tools, turns }) {
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const definitions = countTokens(JSON.stringify(listed));
  const added = turns.reduce((sum, tokens) => sum + tokens, definitions);
  let context = definitions;
  let read = definitions;
  for (const tokens of turns) {
    context += tokens;
    read += context;
  }
  return { added, read };
}

function saved(before, after) {
  return Math.round((1 - after / before) * 1_000) / 10;
}
