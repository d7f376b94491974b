import assert from 'node:assert/strict';
import { createRegistry } from '@x/mcp-registry';
import type { AnthropicToolResult, GoogleResponsePart } from '@x/mcp-registry/formats';
import OpenAI from 'openai';
import {
  Agent,
  answering,
  anthropicClient,
  chatAnswer,
  createAgent,
  DynamicStructuredTool,
  geminiClient,
  generateText,
  jsonSchema,
  responsesAnswer,
  run,
} from './stage/model-packages.js';

const registry = createRegistry({ roles: [{ role: 'review', allowedTools: ['notes.read'] }] });
registry.attach({
  name: 'notes',
  listTools: () => [{ name: 'read', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [{ type: 'text', text: 'Buy milk' }] }),
});
const view = registry.view({ role: 'review' });
const model = 'a-model';
const prompt = 'Read my note';
const { signal } = new AbortController();

{
  const client = anthropicClient;
  const messages: { role: string; content: unknown }[] = [{ role: 'user', content: prompt }];

  // #region anthropic
  const api = anthropic(view); // one object for many requests: it follows the view
  const { content } = await client.messages.create({ model, max_tokens: 4096, messages, tools: api.tools });
  const results: AnthropicToolResult[] = [];
  for (const block of content) if (block.type === 'tool_use') results.push(await api.run(block, { signal }));
  messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  // #endregion anthropic

  assert.deepEqual(results, [
    { type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: 'Buy milk' }] },
  ]);
}

{
  const openai = new OpenAI(answering(chatAnswer));
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }];

  // #region chat
  const api = openaiChat(view);
  const { choices } = await openai.chat.completions.create({ model, messages, tools: api.tools });
  for (const { message } of choices) {
    messages.push(message);
    for (const call of message.tool_calls ?? []) {
      if (call.type === 'function') messages.push(await api.run(call, { signal }));
    }
  }
  // #endregion chat

  assert.deepEqual(messages.at(-1), { role: 'tool', tool_call_id: 'call_1', content: 'Buy milk' });
}

{
  const openai = new OpenAI(answering(responsesAnswer));
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: prompt }];

  // #region responses
  const api = openaiResponses(view, { strict: true });
  const { output } = await openai.responses.create({ model, input, tools: api.tools });
  for (const item of output) {
    input.push(item as OpenAI.Responses.ResponseInputItem);
    if (item.type === 'function_call') input.push(await api.run(item, { signal }));
  }
  // #endregion responses

  assert.deepEqual(input.at(-1), { type: 'function_call_output', call_id: 'call_1', output: 'Buy milk' });
}

{
  const gemini = geminiClient;
  const contents: unknown[] = [{ role: 'user', parts: [{ text: prompt }] }];

  // #region google
  const api = google(view);
  const response = await gemini.models.generateContent({ model, contents, config: { tools: api.tools } });
  const parts: GoogleResponsePart[] = [];
  for (const call of response.functionCalls ?? []) parts.push(await api.run(call, { signal }));
  contents.push(response.candidates?.[0]?.content, { role: 'user', parts });
  // #endregion google

  const name = 'mcp__notes__read';
  assert.deepEqual(parts, [{ functionResponse: { name, response: { output: 'Buy milk' } } }]);
}

{
  // #region ai-sdk
  const api = aiSdk(view, { jsonSchema });
  const { text } = await generateText({ model, prompt, tools: api.tools });
  // #endregion ai-sdk

  assert.equal(text, 'Buy milk');
}

{
  // #region agents
  const api = openaiAgents(view, { strict: true });
  const agent = new Agent({ name: 'Reader', tools: api.tools });
  const { finalOutput } = await run(agent, prompt);
  // #endregion agents

  assert.equal(finalOutput, 'Buy milk');
}

{
  // #region langchain
  const api = langchain(view, { DynamicStructuredTool });
  const agent = createAgent({ model, tools: api.tools });
  // #endregion langchain

  assert.equal(await agent.invoke(), 'Buy milk');
}

// #region import
import {
  aiSdk,
  anthropic,
  google,
  langchain,
  openaiAgents,
  openaiChat,
  openaiResponses,
} from '@x/mcp-registry/formats'; // or '@x/mcp/models'
// #endregion import
