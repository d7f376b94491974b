const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region after
import { openai } from '@ai-sdk/openai';
import { openTools } from '@x/mcp';
import { aiSdk } from '@x/mcp/models';
import { generateText, isStepCount, jsonSchema } from 'ai';

const tools = await openTools({ mcpServers: { files: spec } });
const { text } = await generateText({
  model: openai('gpt-5.2'),
  tools: aiSdk(tools, { jsonSchema }).tools,
  stopWhen: isStepCount(8),
  prompt: 'Read the notes',
});
await tools.close();
// #endregion after

console.log(text);
