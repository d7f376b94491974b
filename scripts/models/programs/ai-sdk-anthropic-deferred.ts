import { createAnthropic } from '@ai-sdk/anthropic';
import { aiSdk } from '@x/mcp/models';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { tools, url } from './app.js';

const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' });
const model = aiSdk(tools, { jsonSchema, defer: 'anthropic' });
const { text } = await generateText({
  model: provider('model'),
  tools: model.tools,
  stopWhen: stepCountIs(5),
  prompt: 'Draw a cat',
});
console.log(text);
await tools.close();
