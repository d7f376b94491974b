const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region before
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount } from 'ai';

const client = await createMCPClient({ transport: new Experimental_StdioMCPTransport(spec) });
const { text } = await generateText({
  model: openai('gpt-5.2'),
  tools: await client.tools(),
  stopWhen: isStepCount(8),
  prompt: 'Read the notes',
});
await client.close();
// #endregion before

console.log(text);
