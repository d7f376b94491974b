import { createClientManager } from '@x/mcp-client-manager';
import { expandTemplate } from '@x/mcp-config-schema/templates';
import { type HostPlace, readHost } from '@x/mcp-host-sync';

/** Does what an editor does with its file: reads the entry, fills in the variables, starts the server and calls a tool. */
export async function useAsEditor(host: string, place: HostPlace): Promise<{ isSignedIn: boolean; todos: string[] }> {
  const { servers } = await readHost(host, place);
  const entry = servers.find(({ name }) => name === 'todos');
  if (entry?.transport !== 'stdio') throw new Error(`${host} has no entry "todos" that starts a program`);

  await using editor = createClientManager({
    servers: [{ ...entry, env: filledIn(entry.env, place), limits: { startupTimeoutMs: 30_000 } }],
  });
  const { content } = await editor.callTool('todos', 'list_todos');
  const [todos] = content;
  if (todos?.type !== 'text') throw new Error(`${host} lists no todos`);
  return JSON.parse(todos.text);
}

function filledIn(env: Readonly<Record<string, string>> = {}, place: HostPlace): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, expandTemplate(text, place.env).text]));
}
