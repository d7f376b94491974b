// Promise: a model that searches for tools reads few tokens, from which it can call. Beside other forms of the same hits,
// and what mcporter prints for an agent: node bench/answer-tokens.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { register } from 'tsx/esm/api';
import { numbersFrom, printConditions, printTable } from './measurement.mjs';
import { commandPeers, installPeers } from './peers.mjs';

register();
const { QUERIES, TOOLS } = await import('../packages/mcp-registry/test/search/evaluation/evaluation-set.ts');
const { createRegistry } = await import('../packages/mcp-registry/src/registry.ts');
const { createConstantSurface } = await import('../packages/mcp-registry/src/views/constant-surface.ts');

const { servers: listedServers } = numbersFrom({ servers: 70 });
const tools = TOOLS.filter(({ suite }) => suite === 'livemcp');
const servers = Array.from(new Set(tools.map(({ server }) => server)));
const queries = QUERIES.filter(({ suite }) => suite === 'livemcp-agent');

const registry = await createFilled();
const surface = createConstantSurface(registry);
await printAnswers();
printDefinitions(await countsOf(5, textOf));
await printFound();
printMcporter();
printConditions({
  how: [
    'tokens of o200k_base',
    `${tools.length} tools of ${servers.length} servers, whose schemas the set has shortened`,
    `${queries.length} queries that a model wrote`,
  ],
  peers: [`mcporter ${commandPeers.mcporter}`],
});

async function printAnswers() {
  const forms = {
    '`search_mcp_tools`, text': textOf,
    '`search_mcp_tools`, structured content': ({ answer }) => JSON.stringify(answer.structuredContent),
    '`detail: "names"`': async ({ ask }) => textOf({ answer: await ask('names') }),
    '`detail: "evidence"`, what an app gets': async ({ ask }) => textOf({ answer: await ask('evidence') }),
    'the same hits as names and whole descriptions': ({ hits }) => hits.map(toBullet).join('\n'),
    'the same hits as in `tools/list`': ({ hits }) => JSON.stringify({ tools: hits.map(toDefinition) }),
  };
  const rows = [];
  for (const [name, form] of Object.entries(forms)) {
    const cells = [];
    for (const limit of [5, 10]) {
      const counts = await countsOf(limit, form);
      cells.push(partOf(counts, 0.5), partOf(counts, 0.95), Math.max(...counts));
    }
    rows.push([name, ...cells]);
  }
  printTable('One answer', [['', '5 hits: p50', 'p95', 'most', '10 hits: p50', 'p95', 'most'], ...rows]);
}

function printDefinitions(answers) {
  const all = countTokens(JSON.stringify(registry.list().map(toDefinition)));
  const pair = countTokens(JSON.stringify(surface.list().map(toDefinition)));
  const searches = Math.floor((all - pair) / partOf(answers, 0.5));
  printTable('Definitions in each request', [
    ['', 'tokens'],
    [`all ${tools.length} tools`, all.toLocaleString('en')],
    ['`search_mcp_tools` and `call_mcp_tool`', pair],
    ['searches of 5 hits until their answers are as long as all definitions', searches],
  ]);
}

async function printFound() {
  const rows = [];
  for (const limit of [5, 10]) {
    let found = 0;
    for (const { query, gold, goldGroups = [gold] } of queries) {
      const hits = (await registry.search({ query, limit })).tools.map(({ server, tool }) => `${server}/${tool}`);
      found += goldGroups.filter((group) => group.some((name) => hits.includes(name))).length / goldGroups.length;
    }
    rows.push([`among ${limit}`, ((found / queries.length) * 100).toFixed(1)]);
  }
  printTable('The right tool is found, percent of the queries', [['', 'found'], ...rows]);
}

/** An agent that uses mcporter in a shell lists all servers, then the tools of one. */
function printMcporter() {
  const peers = installPeers({ mcporter: commandPeers.mcporter });
  const folder = mkdtempSync(join(tmpdir(), 'answer-tokens-'));
  const script = fileURLToPath(new URL('listed-server.mjs', import.meta.url));
  const names = servers.slice(0, listedServers);
  try {
    const entries = names.map((name) => [name, { command: process.execPath, args: [script, name] }]);
    writeFileSync(
      join(folder, 'mcporter.json'),
      JSON.stringify({ mcpServers: Object.fromEntries(entries), imports: [] }),
    );
    const list = (...args) =>
      countTokens(
        execFileSync(
          join(peers.folder, 'node_modules', '.bin', 'mcporter'),
          ['--config', 'mcporter.json', 'list', ...args],
          {
            cwd: folder,
            env: { ...process.env, HOME: folder, NO_COLOR: '1' },
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        ),
      );
    const each = names.map((name) => list(name));
    printTable('What mcporter prints', [
      ['', 'p50', 'p95', 'most'],
      [`\`mcporter list\`, ${names.length} servers`, ...Array(3).fill(list())],
      ['`mcporter list <server>`, its tools', partOf(each, 0.5), partOf(each, 0.95), Math.max(...each)],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function createFilled() {
  const filled = createRegistry();
  for (const name of servers) {
    const offered = tools.filter(({ server }) => server === name).map(toDefinition);
    await filled.attach({ name, listTools: () => offered, callTool: async () => ({ content: [] }) }).ready;
  }
  return filled;
}

async function countsOf(limit, form) {
  const counts = [];
  for (const { query } of queries) {
    const ask = (detail) => surface.call('search_mcp_tools', { query, limit, detail });
    const { tools: hits } = await registry.search({ query, limit, detail: 'full' });
    counts.push(countTokens(await form({ answer: await ask('summary'), ask, hits })));
  }
  return counts;
}

function textOf({ answer }) {
  return answer.content[0].text;
}

function toDefinition({ name, description, inputSchema = { type: 'object' } }) {
  return { name, description, inputSchema };
}

function toBullet({ name, description = '' }) {
  return `- ${name}: ${description}`;
}

function partOf(counts, part) {
  return counts.toSorted((left, right) => left - right)[Math.floor(counts.length * part)];
}
