import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { daemonPrograms } from './helpers/daemon-programs.js';
import { project } from './helpers/project.js';
import { inTerminal } from './helpers/pseudo-terminal.js';
import { runMcpx } from './helpers/run-mcpx.js';
import { ioIn } from './helpers/serving.js';

const light = fileURLToPath(new URL('./fixtures/typed-tools.mjs', import.meta.url));
const good = Array.from({ length: 58 }, (_, index) => `server-${index + 1}`);
const bad = ['broken-1', 'broken-2'];
const entry = { command: process.execPath, args: [light], auto_start: true };
const config = {
  mcp_servers: {
    ...Object.fromEntries(bad.map((name) => [name, { command: `/srv/missing/${name}`, auto_start: true }])),
    ...Object.fromEntries(good.map((name) => [name, entry])),
  },
  mcp_settings: { shutdown_timeout_seconds: 1 },
};

type Folder = Awaited<ReturnType<typeof project>>;

const inPipe = (folder: string) => ({
  ...ioIn(folder, { XDG_RUNTIME_DIR: `${folder}/run` }),
  daemonPrograms: daemonPrograms(),
});

async function down({ folder, [Symbol.asyncDispose]: remove }: Folder): Promise<void> {
  await runMcpx(['down', '--now'], inPipe(folder));
  await remove();
  await expectNoLeaks();
}

/** Names of servers in the order in which lines begin with a mark and a name. */
const listed = (text: string): readonly string[] => Array.from(text.matchAll(/^[✓✗] (\S+)/gm), ([, name = '']) => name);

describe.runIf(process.platform === 'linux')('mcpx up with 60 servers, two of which cannot start', () => {
  let here: Folder;
  beforeAll(async () => {
    here = await project({ 'mcp_servers.yaml': JSON.stringify(config) });
  });
  afterAll(() => down(here));

  test('on a terminal draws within the screen, and leaves a line for each server, failures last', async () => {
    await using up = await inTerminal(here.folder, ['up']);
    const { exitCode, text } = await up.ended();
    expect(exitCode).toBe(exitCodes.startFailed);
    const frames = text.split('\u001b[J').map((frame) => stripVTControlCharacters(frame).replaceAll('\r', ''));
    const last = frames.at(-1) ?? '';
    const drawn = frames.slice(1, -1);
    expect(Math.max(...drawn.map((frame) => frame.trimEnd().split('\n').length))).toBeLessThanOrEqual(28);
    expect(drawn.some((frame) => /… and \d+ more, \d+ of 60 are up/.test(frame))).toBe(true);
    expect(listed(last).toSorted()).toEqual([...good, ...bad].toSorted());
    expect(listed(last).slice(-2)).toEqual(bad);
    expect(last).toMatch(/✓ server-1 is up \d+ tools?, \d+\.\d s\n/);
    expect(last.indexOf('The daemon runs as process')).toBeLessThan(last.indexOf('✗ broken-1'));
  });

  test('in a pipe prints the same lines and nothing else', async () => {
    await runMcpx(['stop', ...good], inPipe(here.folder));
    const { exitCode, stdout, stderr } = await runMcpx(['up'], inPipe(here.folder));
    expect(exitCode).toBe(exitCodes.startFailed);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1).toSorted()).toEqual(good.map((name) => `✓ ${name} is up`).toSorted());
    expect(lines.at(-1)).toMatch(/^The daemon runs as process \d+\./);
    expect(listed(stderr)).toEqual(bad);
    expect(stderr.match(/broken-1/g)?.length).toBeLessThanOrEqual(2);
  });
});
