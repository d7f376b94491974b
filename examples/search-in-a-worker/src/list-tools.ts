import { fileURLToPath } from 'node:url';
import { openTools } from '@x/mcp';
import type { SourceTool } from '@x/mcp-registry/sources';

const names = ['everything', 'filesystem', 'memory'];

/** The tools of three real servers, by server. The servers run for this moment only. */
export async function listTools(): Promise<Record<string, readonly SourceTool[]>> {
  // #region list
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command: process.execPath, args: argsOf(name) }]));
  await using tools = await openTools({ mcpServers });
  return Object.fromEntries(tools.manager.servers().map((server) => [server.name, server.listTools()]));
  // #endregion list
}

function argsOf(name: string): readonly string[] {
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  return name === 'filesystem' ? [program, '.'] : [program];
}
