import Anthropic from '@anthropic-ai/sdk';
import { anthropic } from '@x/mcp/models';
import { tools, url } from './app.js';

const client = new Anthropic({ baseURL: url, apiKey: 'none' });
const model = anthropic(tools, { defer: true });
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Draw a cat' }];
for (;;) {
  const message = await client.messages.create({ model: 'model', max_tokens: 1_000, tools: model.tools, messages });
  messages.push({ role: 'assistant', content: message.content });
  if (message.stop_reason !== 'tool_use') break;
  const calls = message.content.filter((block) => block.type === 'tool_use');
  messages.push({ role: 'user', content: await Promise.all(calls.map((call) => model.run(call))) });
}
console.log(JSON.stringify(messages.at(-1)?.content));
await tools.close();
