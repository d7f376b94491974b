const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region after
import { DynamicStructuredTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { openTools } from '@x/mcp';
import { langchain } from '@x/mcp/models';
import { createAgent } from 'langchain';

const tools = await openTools({ mcpServers: { files: spec } });
const model = new ChatOpenAI({ model: 'gpt-5.2', useResponsesApi: true });
const agent = createAgent({ model, tools: langchain(tools, { DynamicStructuredTool, media: false }).tools });
const { messages } = await agent.invoke({ messages: 'Read the notes' });
await tools.close();
// #endregion after

console.log(messages.at(-1)?.text);
