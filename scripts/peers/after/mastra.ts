const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };

// #region after
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { openTools, type ToolSet } from '@x/mcp';

const tools = await openTools({ mcpServers: { files: spec } });
const agent = new Agent({
  id: 'assistant',
  name: 'Assistant',
  instructions: 'Answer from the notes.',
  model: 'openai/gpt-5.2',
  tools: () => toMastraTools(tools),
});
const { text } = await agent.generate('Read the notes');
await tools.close();
// #endregion after

// #region adapter
export function toMastraTools(view: ToolSet) {
  const entries = view.list().map(({ name: id, description = '', inputSchema }) => {
    const execute = async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
      const result = await view.call(id, { ...(input as object) }, abortSignal && { signal: abortSignal });
      if (result.isError) throw new Error(result.text());
      return result.structuredContent ?? result.text();
    };
    return [id, createTool({ id, description, inputSchema: { ...inputSchema }, execute })];
  });
  return Object.fromEntries(entries);
}
// #endregion adapter

console.log(text);
