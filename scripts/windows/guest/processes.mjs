// Servers of the client manager: batch files, look-up of commands, environment, output, and how processes end.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClientManager } from '@x/mcp-client-manager';
import { isRunning, untilGone } from './running.mjs';

const script = fileURLToPath(new URL('server.mjs', import.meta.url));
const node = { command: process.execPath, args: [script] };

export const checks = {
  'starts a server and calls a tool': () =>
    withServer(node, async ({ call }) => equal(await call('greet', { name: 'Ada' }), 'Hello, Ada')),
  'reads lines that end with CR and LF': () =>
    withServer({ ...node, env: { SERVER_HABIT: 'crlf' } }, async ({ call }) =>
      equal(await call('greet', { name: 'Grüße €𝄞' }), 'Hello, Grüße €𝄞'),
    ),
  'passes arguments of every kind to a program': () => expectArguments(node, [...hostile, ...refused]),
  'passes arguments of every kind to a .cmd file': (folder) =>
    expectArguments(batch(folder, 'a tool (x86) & more.cmd'), hostile),
  'passes arguments of every kind to a .bat file': (folder) => expectArguments(batch(folder, 'tool.bat'), hostile),
  'refuses arguments that no quoting makes safe for a batch file': async (folder) => {
    const { command } = batch(folder, 'tool.cmd');
    for (const word of refused)
      await rejects(
        withServer({ command, args: [word] }, () => undefined),
        /cannot be passed to a batch file/,
      );
  },
  'finds a command by PATHEXT in PATH, not in the current directory': async (folder) => {
    const [good, planted] = ['good', 'planted'].map((name) => join(folder, name));
    for (const each of [good, planted]) mkdirSync(each);
    batch(good, 'tool.cmd', 'good');
    batch(planted, 'tool.cmd', 'planted');
    const env = { Path: `relative;.;;"${good}"`, PathExt: '.COM;.EXE;.BAT;.CMD' };
    await withServer({ command: 'tool', cwd: planted, env }, async ({ call }) =>
      equal(await call('args', {}), '["good"]'),
    );
    await rejects(
      withServer({ command: 'tool', cwd: planted, env: { PATH: '.' } }, () => undefined),
      /tool/,
    );
  },
  'names the interpreter of a script that is the command': () =>
    rejects(
      withServer({ command: script }, () => undefined),
      /only .* set "command" to "node"/,
    ),
  'finds npx by its name, which runs what the project has installed': async (folder) => {
    const bin = join(folder, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    batch(bin, 'guest-server.cmd');
    writeFileSync(join(bin, 'guest-server'), ''); // npm writes one for other shells, and looks for it
    const env = { PATH: `${dirname(process.execPath)};${process.env.PATH}` };
    const spec = { command: 'npx', args: ['--no-install', 'guest-server', 'a & b'], cwd: folder, env };
    await withServer(spec, async ({ call }) => equal(await call('args', {}), '["a & b"]'));
  },
  'variables have one value, whatever their case': () =>
    withServer({ ...node, env: { Path: 'C:\\one', MiXed: 'two' } }, async ({ call }) => {
      equal(await call('variable', { name: 'PATH' }), '"C:\\\\one"');
      equal(await call('variable', { name: 'mixed' }), '"two"');
    }),
  'a server starts in its folder, whose name has blanks and letters of other scripts': async (folder) => {
    const cwd = join(folder, 'ein Ordner für Ümläute 日本');
    mkdirSync(cwd);
    await withServer({ ...node, cwd }, async ({ call }) => equal(await call('folder', {}), cwd));
  },
  'a flood on stderr blocks nothing': () =>
    withServer(node, async ({ call }) => {
      equal(await call('flood', { lines: 20_000 }), '20000 lines');
      equal(await call('greet', { name: 'Ada' }), 'Hello, Ada');
    }),
  'closing ends a server, its children and theirs': async () => {
    const pids = await withServer(node, async ({ call, pid }) => [pid(), ...JSON.parse(await call('children', {}))]);
    await untilGone(pids);
  },
  'closing ends a server that ignores the end of its input, its children and theirs': async () => {
    const env = { SERVER_HABIT: 'stays after the end of its input' };
    const pids = await withServer({ ...node, env }, async ({ call, pid }) => [
      pid(),
      ...JSON.parse(await call('children', {})),
    ]);
    await untilGone(pids);
  },
  'a killed server is started again': () =>
    withServer(node, async ({ call, pid, manager }) => {
      const first = pid();
      const lost = new Promise((resolve) => manager.events.on('server-state', resolve));
      process.kill(first);
      await lost;
      await manager.server('guest').start();
      equal(await call('greet', { name: 'Ada' }), 'Hello, Ada');
      ok(pid() !== first && isRunning(pid()) && !isRunning(first));
    }),
  'servers end with a host that is killed': async () => {
    const host = fileURLToPath(new URL('host.mjs', import.meta.url));
    const child = spawn(process.execPath, [host], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGKILL');
    await untilGone([child.pid, ...JSON.parse(line)]);
  },
};

const hostile = [
  'a b',
  'a&calc',
  'a|b',
  '<in',
  '>out',
  '^',
  '(x)',
  '!PATH!',
  "'",
  'ends\\',
  'a\\\\',
  '',
  '*',
  'ä€𝄞',
  ';,=',
  '@x',
];
const refused = ['%PATH%', '"', '"&calc', 'a\nb', '%'];

async function expectArguments({ command, args = [] }, words) {
  await withServer({ command, args: [...args, ...words] }, async ({ call }) =>
    deepEqual(JSON.parse(await call('args', {})), words),
  );
}

/** A batch file that starts the server, as npm's shims do. */
function batch(folder, name, ...first) {
  const command = join(folder, name);
  writeFileSync(command, `@"${process.execPath}" "${script}" ${first.join(' ')} %*\r\n`);
  return { command };
}

async function withServer(spec, use) {
  const manager = createClientManager({ servers: { guest: spec } });
  try {
    await manager.server('guest').start();
    return await use({
      manager,
      call: async (tool, args) => (await manager.callTool('guest', tool, args)).content[0].text,
      pid: () => manager.status()[0].pid,
    });
  } finally {
    await manager.close();
  }
}
