// Runs on Windows, or under Wine: finds commands and starts batch files as the client manager does, and compares what the
// programs behind them receive. Bundled and started by scripts/check-windows.mjs, with the file for its report.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { windowsLaunch } from '../../packages/internal/src/processes/windows-launch.js';
import { checkCommand } from '../../packages/mcp-client-manager/src/process/command/check-command.js';

const [reportFile = ''] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'launches-'));
const problems: string[] = [];
let cases = 0;
const host = {
  commandInterpreter: join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'cmd.exe'),
  node: process.execPath,
  isFile: existsSync,
};

function expectSame(what: string, found: unknown, wanted: unknown): void {
  cases += 1;
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) problems.push(`${what}: ${is} instead of ${should}`);
}

/** A folder with a batch file that passes its arguments on to a program, which writes them down. */
function folderWith(name: string, said: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  const script = join(folder, 'show.cjs');
  writeFileSync(
    script,
    `require('fs').writeFileSync(process.env.SHOWN, JSON.stringify(['${said}', ...process.argv.slice(2)]))`,
  );
  writeFileSync(join(folder, 'tool.cmd'), `@"${process.execPath}" "${script}" %*\r\n`);
  return folder;
}

/** What the program behind a batch file received; `undefined`: it was not run. */
function shown(file: string, args: readonly string[]): unknown {
  const launch = windowsLaunch({ file, args }, host);
  if ('refusal' in launch) return 'refused';
  const out = join(root, 'shown.json');
  rmSync(out, { force: true });
  spawnSync(launch.file, launch.args, {
    cwd: root,
    env: { ...process.env, SHOWN: out, SECRET: 'expanded' },
    windowsVerbatimArguments: launch.isVerbatim,
    stdio: 'ignore',
  });
  return existsSync(out) ? JSON.parse(readFileSync(out, 'utf8')) : undefined;
}

try {
  const good = folderWith('good place (x86) & more', 'good');
  const planted = folderWith('planted', 'planted');
  process.chdir(planted);

  const path = [good, 'relative', '.', ''].join(';');
  const environment = { ...process.env, PATH: path, Path: path, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
  const file = join(good, 'tool.cmd');
  const found = await checkCommand({ command: 'tool', environment });
  expectSame('tool is found on PATH, not in the current directory', found, { status: 'found', file });
  const inPlanted = await checkCommand({
    command: 'tool',
    cwd: planted,
    environment: { ...environment, PATH: '', Path: '' },
  });
  expectSame('tool is not found in the current directory alone', inPlanted.status, 'command-not-found');

  const plain = [
    'a b',
    'a&calc',
    'a|b',
    '<in',
    '>out',
    '^',
    '(x)',
    '!SECRET!',
    "'",
    'ends\\',
    'a\\\\',
    '',
    '*',
    'ä€𝄞',
    ';,=',
    '@x',
    '~',
  ];
  for (const args of [...plain.map((word) => [word]), plain, ['&', 'echo', 'x']]) {
    expectSame(JSON.stringify(args), shown(file, args), ['good', ...args]);
  }
  for (const word of ['%SECRET%', '"', '"&calc', 'a\nb', '%'])
    expectSame(JSON.stringify(word), shown(file, [word]), 'refused');
} catch (error) {
  problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  process.chdir(tmpdir());
  rmSync(root, { recursive: true, force: true });
  writeFileSync(reportFile, JSON.stringify({ cases, problems, version: process.version }));
}
