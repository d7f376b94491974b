import assert from 'node:assert/strict';
import { createRegistry } from '@x/mcp-registry';
import OpenAI from 'openai';

const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['read_note'] }] });
for (const name of ['read_note', 'delete_note']) {
  registry.register({ name, description: `Can ${name.replace('_', ' ')}s` }, () => `${name} ran`);
}
const view = registry.view({ role: 'review' });
const model = 'a-model';
const { signal } = new AbortController();
const requests: unknown[] = [];
const turns = [
  { type: 'tool_search_call', call_id: '1', execution: 'client', arguments: { query: 'note' } },
  { type: 'function_call', call_id: '2', name: 'read_note', arguments: '{}' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is read', annotations: [] }] },
];
const openai = new OpenAI({
  apiKey: 'none',
  fetch: async (_url, options) =>
    Response.json({ output: [turns[requests.push(JSON.parse(String(options?.body))) - 1]] }),
});

// #region defer
import { openaiResponses } from '@x/mcp-registry/formats';

const api = openaiResponses(view, { defer: true }); // or anthropic(view, { defer: true })
const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Read my note' }];
for (;;) {
  const { output } = await openai.responses.create({ model, input, tools: api.tools });
  const calls = output.filter((item) => item.type === 'function_call' || item.type === 'tool_search_call');
  if (calls.length === 0) break;
  for (const call of calls) input.push(call, await api.run(call, { signal }));
}
// #endregion defer

const bodies = requests as { tools: unknown }[];
assert.equal(bodies.length, 3);
assert.deepEqual(bodies[2]?.tools, bodies[0]?.tools);
assert.match(JSON.stringify(bodies[1]), /"tool_search_output".*"read_note"/);
assert.doesNotMatch(JSON.stringify(bodies), /delete_note/);
assert.deepEqual(input.at(-1), { type: 'function_call_output', call_id: '2', output: 'read_note ran' });
