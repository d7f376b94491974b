import { openaiChat } from '@x/mcp/models';
import OpenAI from 'openai';
import { tools, url } from './app.js';

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
const model = openaiChat(tools);
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Draw a cat' }];
for (;;) {
  const { choices } = await client.chat.completions.create({ model: 'model', tools: model.tools, messages });
  const message = choices[0]?.message;
  if (message === undefined) throw new Error('The API gave no choice');
  messages.push(message);
  if (message.tool_calls === undefined) break;
  for (const call of message.tool_calls) if (call.type === 'function') messages.push(await model.run(call));
}
console.log(messages.at(-1)?.content);
await tools.close();
