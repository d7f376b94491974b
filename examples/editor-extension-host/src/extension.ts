import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTools, type Tools } from '@x/mcp';

/** The parts of an editor's API that the extension uses. */
export interface ExtensionContext {
  /** A directory of the extension. It exists. */
  readonly storage: string;
  readonly workspace: string;
  /** Shows a question in the window. Resolves with the chosen item; `undefined` when it was dismissed. */
  readonly showWarningMessage: (message: string, ...items: readonly string[]) => Promise<string | undefined>;
}

let opening: Promise<Tools> | undefined;

// #region activate
export async function activate({ storage, workspace, showWarningMessage }: ExtensionContext): Promise<void> {
  opening = openTools({
    config: [userConfig(storage), join(workspace, '.mcp.json')].filter(existsSync),
    async consent({ server, lines }) {
      const question = [`Start the MCP server ${JSON.stringify(server)}?`, ...lines].join('\n');
      return (await showWarningMessage(question, 'Allow')) === 'Allow';
    },
    manager: {
      commandPath: 'login-shell', // the desktop starts editors with a PATH that has no node, npx or uvx of the user
      stateDirectory: join(storage, 'servers'), // ends servers that a killed extension host has left
    },
  });
  await opening;
}

export async function deactivate(): Promise<void> {
  await (await opening)?.close(); // resolves when the processes are gone
}
// #endregion activate

/** Commands of the extension. */
export const commands = {
  async callTool({ name, args }: { name: string; args: Record<string, unknown> }) {
    const result = await (await opening)?.call(name, args);
    return result?.text();
  },
  async status() {
    const tools = await opening;
    return tools?.manager.status().map(({ name, state, pid }) => ({ name, state, pid }));
  },
};

/** The user's own servers, which the extension keeps in its storage. */
function userConfig(storage: string): string {
  const file = join(storage, 'mcp_servers.json');
  if (existsSync(file)) return file;
  const memory = { command: 'mcp-memory', env: { MEMORY_FILE_PATH: join(storage, 'memory.jsonl') } };
  const config = { mcp_servers: { memory }, mcp_settings: { auto_start_default: true } };
  writeFileSync(file, JSON.stringify(config, undefined, 2));
  return file;
}
