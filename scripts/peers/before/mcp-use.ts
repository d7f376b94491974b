const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region before
import { ChatOpenAI } from '@langchain/openai';
import { MCPAgent, MCPClient } from 'mcp-use';

const client = new MCPClient({ mcpServers: { files: spec } });
await client.createAllSessions();
const files = client.requireSession('files');
const result = await files.callTool('read_text_file', { path: `${notes}/notes.txt` });

const llm = new ChatOpenAI({ model: 'gpt-5.2', useResponsesApi: true });
const agent = new MCPAgent({ llm, client, disallowedTools: ['write_file', 'edit_file', 'move_file'] });
const text = await agent.run({ prompt: 'Read the notes' });
await client.close();
// #endregion before

console.log(text, result.content);
