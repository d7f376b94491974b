import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A user's home whose shell finds two MCP servers, and what a desktop gives to the programs that it starts. */
export async function setUpDesktop(home: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await Promise.all([install(bin, 'mcp-files', 'filesystem'), install(bin, 'mcp-memory', 'memory')]);
  if (process.platform === 'win32') {
    // Shells have no other PATH there.
    return { ...process.env, APPDATA: home, LOCALAPPDATA: home, PATH: `${bin};${process.env.PATH}` };
  }
  await writeFile(join(home, '.profile'), 'PATH="$HOME/bin:$PATH"\n');
  const { TMPDIR = '/tmp' } = process.env;
  return { HOME: home, SHELL: '/bin/sh', PATH: '/usr/bin:/bin', TMPDIR };
}

async function install(bin: string, command: string, server: string): Promise<void> {
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`));
  if (process.platform === 'win32') {
    return writeFile(join(bin, `${command}.cmd`), `@"${process.execPath}" "${program}" %*\r\n`);
  }
  const file = join(bin, command);
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(file, 0o755);
}
