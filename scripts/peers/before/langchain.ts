const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region before
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const client = new MultiServerMCPClient({ mcpServers: { files: { transport: 'stdio', ...spec } } });
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5.2', useResponsesApi: true }),
  tools: await client.getTools(),
});
const { messages } = await agent.invoke({ messages: 'Read the notes' });
await client.close();
// #endregion before

console.log(messages.at(-1)?.text);
