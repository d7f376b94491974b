import { join } from 'node:path';
import { openStack, type Stack } from '../../src/compose.js';
import { project, type ServerEntry, serversFile } from './project.js';

/** A stack over test servers in this process, and the folder of its config. */
export async function localStack(
  servers: readonly ServerEntry[],
  { files = {}, env = {} }: { files?: Readonly<Record<string, string>>; env?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly folder: string; readonly stack: Stack } & AsyncDisposable> {
  const { folder, [Symbol.asyncDispose]: remove } = await project({
    'mcp_servers.yaml': serversFile(servers),
    ...files,
  });
  const stack = await openStack(
    {},
    {
      cwd: folder,
      env: { PATH: process.env.PATH, MCPX_TRUST: '1', ...env },
      stateDirectory: join(folder, 'state'),
      signal: new AbortController().signal,
    },
  );
  return {
    folder,
    stack,
    [Symbol.asyncDispose]: async () => {
      await stack[Symbol.asyncDispose]();
      await remove();
    },
  };
}
