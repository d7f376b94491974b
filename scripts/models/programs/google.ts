import { type Content, GoogleGenAI } from '@google/genai';
import { google } from '@x/mcp/models';
import { tools, url } from './app.js';

const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
const model = google(tools);
const contents: Content[] = [{ role: 'user', parts: [{ text: 'Draw a cat' }] }];
for (;;) {
  const response = await client.models.generateContent({
    model: 'model',
    contents,
    config: { tools: model.tools },
  });
  const calls = response.functionCalls ?? [];
  const content = response.candidates?.[0]?.content;
  if (calls.length === 0 || content === undefined) {
    console.log(response.text);
    break;
  }
  contents.push(content, { role: 'user', parts: await Promise.all(calls.map((call) => model.run(call))) });
}
await tools.close();
