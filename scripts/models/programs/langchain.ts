import { ChatAnthropic } from '@langchain/anthropic';
import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { DynamicStructuredTool } from '@langchain/core/tools';
import { langchain } from '@x/mcp/models';
import { tools, url } from './app.js';

const chat = new ChatAnthropic({ model: 'model', apiKey: 'none', anthropicApiUrl: url });
const offered = langchain(tools, { DynamicStructuredTool }).tools;
const model = chat.bindTools(offered);
const messages: BaseMessage[] = [new HumanMessage('Draw a cat')];
for (;;) {
  const message = await model.invoke(messages);
  messages.push(message);
  if (message.tool_calls === undefined || message.tool_calls.length === 0) break;
  for (const call of message.tool_calls) {
    const called = offered.find(({ name }) => name === call.name);
    const result: unknown = await called?.invoke({ ...call, type: 'tool_call' });
    if (result instanceof ToolMessage) messages.push(result);
  }
}
console.log(messages.at(-1)?.content);
await tools.close();
