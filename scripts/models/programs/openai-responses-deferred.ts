import { openaiResponses } from '@x/mcp/models';
import OpenAI from 'openai';
import { tools, url } from './app.js';

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
const model = openaiResponses(tools, { defer: true });
const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Draw a cat' }];
for (;;) {
  const response = await client.responses.create({ model: 'model', tools: model.tools, input });
  const calls = response.output.filter((item) => item.type === 'function_call' || item.type === 'tool_search_call');
  if (calls.length === 0) {
    console.log(response.output_text);
    break;
  }
  input.push(...calls, ...(await Promise.all(calls.map((call) => model.run(call)))));
}
await tools.close();
