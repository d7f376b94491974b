import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { exitCodes, type Io } from '../../src/command.js';
import { programLaunch } from '../../src/recording/program-launch.js';
import { runProgram } from '../../src/recording/run-program.js';
import { project } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

function ioIn(cwd: string, signal = new AbortController().signal): Io {
  const { stdout, stderr, env } = process;
  return { stdin: new PassThrough(), stdout, stderr, env, cwd, signal };
}

const connect = ({ stdout }: { readonly stdout: NodeJS.ReadableStream }): void => void stdout.resume();

/** A program with a child that keeps its pipes, ignores SIGTERM and would end by itself in a minute. */
const parent = (ending: string) => `
  const { spawn } = require('node:child_process');
  const code = "process.on('SIGTERM', () => {}); process.stdout.write('.'); setTimeout(() => {}, 60_000)";
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => {
    require('node:fs').writeFileSync('pid', String(child.pid));
    ${ending}
  });
`;

/** Zombies do not count: a container may have no process that awaits them. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
}

test.runIf(process.platform === 'linux')(
  'a program that has ended leaves no child, and is not waited for',
  async () => {
    await using here = await project({});
    expect(await runProgram([process.execPath, '-e', parent('process.exit(0)')], connect, ioIn(here.folder))).toBe(0);
    await expect.poll(async () => isRunning(Number(await readFile(join(here.folder, 'pid'), 'utf8')))).toBe(false);
  },
);

test.runIf(process.platform !== 'win32')('a descendant in a group of its own cannot hold the pipes', async () => {
  await using here = await project({});
  const code = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8_000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
    setTimeout(() => process.exit(0), 200);
  `;
  const begin = performance.now();
  expect(await runProgram([process.execPath, '-e', code], connect, ioIn(here.folder))).toBe(exitCodes.ok);
  expect(performance.now() - begin).toBeLessThan(7_000);
});

test('an interrupt before the start ends the program', async () => {
  await using here = await project({});
  const code = "process.stdin.resume().once('end', () => process.exit(0))";
  const io = ioIn(here.folder, AbortSignal.abort());
  expect(await runProgram([process.execPath, '-e', code], connect, io)).toBe(exitCodes.interrupted);
});

test('other systems search PATH themselves', async () => {
  const launch = await programLaunch(['server', 'a"b'], { cwd: '/', env: {} }, 'linux');
  expect(launch).toEqual({ file: 'server', args: ['a"b'], isVerbatim: false });
});

test('a config with errors is reported: the word may be one of its servers', async () => {
  await using here = await project({ 'mcp_servers.yaml': 'servers: [' });
  const { exitCode } = await runMcpx(['record', 'a.jsonl', '--', 'echo'], { cwd: here.folder });
  expect(exitCode).toBe(exitCodes.config);
  await expect(readFile(join(here.folder, 'a.jsonl'))).rejects.toThrow('ENOENT');
});
