const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region before
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const mcp = new MCPClient({ id: 'my-app', servers: { files: spec } });
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Answer from the notes.',
  model: 'openai/gpt-5.2',
  tools: await mcp.listTools(),
});
const { text } = await agent.generate('Read the notes');
await mcp.disconnect();
// #endregion before

console.log(text);
