import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { run, startOf } from '../run.mjs';

const runModule = JSON.stringify(new URL('../run.mjs', import.meta.url).href);

test('a command that does not exist is told, and nothing is left that keeps the process alive', async () => {
  const program = `import { run } from ${runModule};
    await run('there-is-no-such-program', []).catch(() => {});
    console.log(JSON.stringify(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')));
    process.exit();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  await once(child, 'close');
  expect(stdout).toBe('[]\n');
});

test('a program that takes too long is ended, and that is said with what it wrote', async () => {
  const program = 'console.log("began"); setInterval(() => {}, 1_000)';
  const told = (timeoutMs) => run(process.execPath, ['--eval', program], { timeoutMs }).catch(({ message }) => message);
  let timeoutMs = 500;
  let message = await told(timeoutMs);
  while (!message.endsWith('\nbegan')) {
    timeoutMs *= 4; // a busy machine takes its time to start a program
    message = await told(timeoutMs);
  }
  expect(message).toContain(`ended with SIGTERM after at most ${timeoutMs} ms\n`);
});

test.each([
  ['linux', 'npm', ['install', 'a b'], { file: 'npm', args: ['install', 'a b'], shell: false }],
  [
    'win32',
    'npm',
    ['install', 'x@^1', 'C:\\a b\\c.tgz'],
    { file: 'npm install "x@^1" "C:\\a b\\c.tgz"', args: [], shell: true },
  ],
  [
    'win32',
    'a tool',
    ['a b\\', 'a&b', '', '^', '!PATH!'],
    { file: '"a tool" "a b\\\\" "a&b" "" "^" "!PATH!"', args: [], shell: true },
  ],
  [
    'win32',
    'C:\\Program Files\\node.exe',
    ['a b'],
    { file: 'C:\\Program Files\\node.exe', args: ['a b'], shell: false },
  ],
])('on %s, %s with %j is started with its words', (platform, command, args, expected) => {
  expect(startOf(command, args, platform)).toEqual(expected);
});

test.each(['%PATH%', '"', 'a\nb'])('on Windows, %j is refused, which a shell would change', (word) => {
  expect(() => startOf('npm', [word], 'win32')).toThrow('cmd.exe cannot pass');
  expect(startOf('npm', [word], 'linux').args).toEqual([word]);
});
