import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withOwner } from '@x/test-servers';

export interface SystemProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  output(): string;
}

/** A program of the system in the foreground. Disposal ends it and waits. */
export function startProgram(program: string, args: readonly string[]): SystemProgram {
  const child = spawn(program, args, { env: withOwner({ ...process.env }), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  child.on('error', (error) => (output += `${error.message}. Install it, or set its variable to its path`));
  const closed = once(child, 'close').catch(() => undefined);
  return {
    child,
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

export async function temporaryFolder(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpx-system-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** For a program that cannot choose one itself and report it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
