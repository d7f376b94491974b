// Writes docs/what-a-model-sees.md from conversations that run against a registry. After a build:
// node scripts/docs/what-a-model-sees.mjs [--check]
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from '../../bench/measurement.mjs';
import { openCodeRunner } from '../../packages/mcp-registry/dist/code.js';
import { root } from '../root.mjs';
import { runExchange } from './model-view/exchange.mjs';
import { scripts, task } from './model-view/task.mjs';

const page = join(root, 'docs/what-a-model-sees.md');
const SHOWN = 200;
const NAMES = {
  all: 'All tools',
  search: 'Search tools',
  defer: 'Deferral by the provider',
  code: 'Search and programs',
};
const ABOUT = {
  all: '`anthropic(view)`: every request begins with all definitions.',
  search:
    '`anthropic(createConstantSurface(view))`: [two tools that never change](search.md#two-tools-that-never-change), for any provider.',
  defer:
    '`anthropic(view, { defer: true })`: [tools that the model finds](model-apis.md#tools-that-the-model-finds). The result of the search refers\nto ' +
    'five tools, and the provider shows their definitions in its place.',
  code: '`anthropic(createConstantSurface(view, { code }))`: the two tools and [programs](code.md#programs). Rows of\nresults stay in the program.',
};

const code = await openCodeRunner();
const exchanges = {};
for (const [surface, script] of Object.entries(scripts)) exchanges[surface] = await runExchange(surface, script, code);
await code.close();
for (const { changes } of Object.values(exchanges)) assert.deepEqual(sorted(changes), sorted(exchanges.all.changes));

const text = pageOf();
if (text !== (await readFile(page, 'utf8').catch(() => ''))) {
  if (process.argv.includes('--check')) {
    console.error('docs/what-a-model-sees.md is out of date; run: node scripts/docs/what-a-model-sees.mjs');
    process.exitCode = 1;
  } else await writeFile(page, text);
}
console.log(`${Object.keys(exchanges).length} conversations`);

function pageOf() {
  const { toolCount, serverCount } = exchanges.all;
  const parts = Object.keys(exchanges).map(
    (surface) => `## ${NAMES[surface]}\n\n${ABOUT[surface]}\n\n${turnsOf(surface)}`,
  );
  return `# What a model sees

One task under four ways to offer ${toolCount} tools of ${serverCount} servers: *${task}*
It needs six calls, and each way ends with the same two labels and comments.

${table([['Tokens', ...turnNumbers(), 'read in all', 'written in all'], ...Object.keys(exchanges).map(rowOf)])}

A turn is one request, and its column is what the model reads in it: the definitions, and all messages so far. With a prompt cache, what was
read before is cheaper and not free.

- The requests are those of \`@x/mcp-registry/formats\` for the Messages API of Anthropic, and a registry runs every call.
- The model is a script with fixed answers, so a real one may need more turns. Its program knows the form of the results; without an output
  schema a model looks at one of them first.
- Tokens are those of o200k_base over the JSON of definitions and messages. Other tokenizers differ, and what a provider adds is not counted.
- Five servers answer with fixed data. The others are only listed, with definitions that LiveMCPBench has shortened.
- Each turn below shows what it adds. Results are cut after ${SHOWN} characters, apart from those of the search.

${parts.join('\n')}`;
}

function turnNumbers() {
  const most = Math.max(...Object.values(exchanges).map(({ turns }) => turns.length));
  return Array.from({ length: most }, (_, at) => `turn ${at + 1}`);
}

function rowOf(surface) {
  const { turns } = exchanges[surface];
  const read = turnNumbers().map((_, at) => (turns[at] === undefined ? '' : count(turns[at].read)));
  const sum = (of) => count(turns.reduce((total, turn) => total + of(turn), 0));
  return [
    `[${NAMES[surface]}](#${slugOf(NAMES[surface])})`,
    ...read,
    sum((turn) => turn.read),
    sum((turn) => turn.written),
  ];
}

function turnsOf(surface) {
  const { turns } = exchanges[surface];
  return turns
    .map(({ request, answer, read, written }, at) => {
      const added = request.messages.slice(at === 0 ? 0 : -1).flatMap(({ content }) => linesOf(content));
      const tools = at === 0 ? [line('tools', toolsOf(request.tools))] : [];
      const lines = [...tools, ...added, ...linesOf(answer)].join('\n');
      return `Turn ${at + 1} reads ${count(read)} tokens, and writes ${count(written)}:\n\n\`\`\`text\n${lines}\n\`\`\`\n`;
    })
    .join('\n');
}

function linesOf(content) {
  if (typeof content === 'string') return [line('user', content)];
  return content.flatMap((block) => {
    if (block.type === 'text') return [line('model', block.text)];
    if (block.type === 'tool_use') return [line('model', callOf(block))];
    const references = block.content.flatMap((part) => (part.type === 'tool_reference' ? [part.tool_name] : []));
    if (references.length > 0) return [line('result', `references to ${references.join(', ')}`)];
    return [line('result', cut(block.content.map((part) => part.text).join('\n')))];
  });
}

function callOf({ name, input }) {
  return typeof input.code === 'string' ? `${name}\n${input.code}` : `${name} ${JSON.stringify(input)}`;
}

function cut(text) {
  if (text.length <= SHOWN || text.startsWith('mcp__')) return text;
  return `${text.slice(0, SHOWN)}… (${count(text.length)} characters)`;
}

function toolsOf(tools) {
  const names = tools.map(({ name }) => name);
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}

function line(who, text) {
  return `${who.padEnd(8)}${text.replaceAll('\n', `\n${' '.repeat(8)}`)}`;
}

function sorted(changes) {
  return changes.map((change) => JSON.stringify(change)).toSorted();
}

function count(value) {
  return value.toLocaleString('en');
}

function slugOf(heading) {
  return heading.toLowerCase().replaceAll(' ', '-');
}
