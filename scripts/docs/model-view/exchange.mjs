// The requests of a conversation in the form of a provider, made by the registry, and their tokens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openServices } from '../../../bench/code-services.mjs';
import { anthropic } from '../../../packages/mcp-registry/dist/formats.js';
import { createConstantSurface } from '../../../packages/mcp-registry/dist/index.js';
import { root } from '../../root.mjs';
import { end, task } from './task.mjs';

/** Servers of LiveMCPBench that the task does not need. */
const BESIDE = [
  ...['docker-mcp', 'excel', 'fetch', 'filesystem', 'hackernews', 'memory', 'playwright', 'time', 'wikipedia'],
  'word-document-server',
];

/** What each surface offers. */
const surfaces = {
  all: (registry) => anthropic(registry.view()),
  search: (registry) => anthropic(createConstantSurface(registry.view())),
  defer: (registry) => anthropic(registry.view(), { defer: true }),
  code: (registry, code) => anthropic(createConstantSurface(registry.view(), { code })),
};

/** Runs the calls of a script, one answer of the model after the other. */
export async function runExchange(surface, script, code) {
  const { registry, changes } = await openServices();
  await Promise.all(readServers().map((source) => registry.attach(source).ready));
  const api = surfaces[surface](registry, code);
  const servers = registry.list().flatMap(({ server }) => server ?? []);
  const messages = [{ role: 'user', content: task }];
  const turns = [];
  let id = 0;
  for (const calls of [...script, []]) {
    const request = structuredClone({ tools: api.tools, messages });
    const uses = calls.map((call) => ({ type: 'tool_use', id: `call_${++id}`, ...call }));
    const answer = uses.length > 0 ? uses : [{ type: 'text', text: end }];
    const definitions = new Map(anthropic(registry.view()).tools.map((tool) => [tool.name, tool]));
    turns.push({ request, answer, read: tokensRead(request, definitions), written: tokensOf(answer) });
    messages.push({ role: 'assistant', content: answer });
    if (uses.length > 0) messages.push({ role: 'user', content: await Promise.all(uses.map((use) => api.run(use))) });
  }
  await registry.close();
  return { turns, changes, toolCount: servers.length, serverCount: new Set(servers).size };
}

/** The provider shows a deferred definition where a result refers to it. */
function tokensRead({ tools, messages }, definitions) {
  const shown = messages.map(({ role, content }) =>
    typeof content === 'string'
      ? { role, content }
      : { role, content: content.map((block) => expand(block, definitions)) },
  );
  return tokensOf(tools.filter((tool) => !tool.defer_loading)) + tokensOf(shown);
}

function expand(block, definitions) {
  if (block.type !== 'tool_result') return block;
  const content = block.content.map((part) =>
    part.type === 'tool_reference' ? definitions.get(part.tool_name) : part,
  );
  return { ...block, content };
}

function tokensOf(value) {
  return countTokens(JSON.stringify(value));
}

function readServers() {
  const file = join(root, 'packages/mcp-registry/test/search/evaluation/data/tools.jsonl');
  const all = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return BESIDE.map((name) => {
    const listed = all
      .filter(({ suite, server }) => suite === 'livemcp' && server === name)
      .map(({ name: tool, description, inputSchema = { type: 'object' } }) => ({
        name: tool,
        description,
        inputSchema,
      }));
    return { name, listTools: () => listed, callTool: async () => ({ content: [] }) };
  });
}
