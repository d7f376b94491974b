const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region after
import { openai } from '@ai-sdk/openai';
import { openTools } from '@x/mcp';
import { aiSdk } from '@x/mcp/models';
import { generateText, isStepCount, jsonSchema } from 'ai';

const reader = { role: 'reader', allowedTools: ['files.read_*', 'files.list_*', 'files.search_files'] };
const tools = await openTools({ mcpServers: { files: spec }, roles: [reader] });
const result = await tools.call('mcp__files__read_text_file', { path: `${notes}/notes.txt` });

const { text } = await generateText({
  model: openai('gpt-5.2'),
  tools: aiSdk(tools.as('reader'), { jsonSchema }).tools,
  stopWhen: isStepCount(30),
  prompt: 'Read the notes',
});
await tools.close();
// #endregion after

console.log(text, result.text());
