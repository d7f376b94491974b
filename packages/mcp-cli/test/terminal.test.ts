import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { project, type ServerEntry, serversFile } from './helpers/project.js';
import { inTerminal } from './helpers/pseudo-terminal.js';

afterEach(expectNoLeaks);

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const ctrlC = '\u0003';

/** A project whose daemon is gone at the end. */
async function stage(servers: readonly ServerEntry[]): Promise<{ readonly folder: string } & AsyncDisposable> {
  const here = await project({ 'mcp_servers.yaml': serversFile(servers) });
  return {
    folder: here.folder,
    [Symbol.asyncDispose]: async () => {
      await using down = await inTerminal(here.folder, ['down', '--now']);
      await down.ended();
      await here[Symbol.asyncDispose]();
    },
  };
}

async function ranToItsEnd(
  folder: string,
  argv: readonly string[],
): Promise<{ exitCode: number | null; text: string }> {
  await using terminal = await inTerminal(folder, argv);
  return await terminal.ended();
}

describe.runIf(process.platform === 'linux')('in a real terminal', () => {
  test.each([
    ['q', exitCodes.ok],
    [ctrlC, exitCodes.interrupted],
  ])('a watch draws again with each change, and %j ends it with the cursor as it was', async (key, exitCode) => {
    await using here = await stage([{ name: 'files', server: 'echo' }]);
    await ranToItsEnd(here.folder, ['up']);
    await using watch = await inTerminal(here.folder, ['status', '--watch']);
    await watch.seen('press q to quit');
    expect(watch.text()).toContain(hideCursor);
    expect(stripVTControlCharacters(watch.text())).toMatch(/files +● running/);
    await ranToItsEnd(here.folder, ['stop', 'files']);
    await watch.seen('○ stopped');
    watch.press(key);
    const { exitCode: code, text } = await watch.ended();
    expect(code).toBe(exitCode);
    expect(text).toContain('A\u001b[J'); // up, and over what was there
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
  });

  test('a call shows a progress bar and erases it at the end', async () => {
    await using here = await stage([{ name: 'slow', server: 'slow' }]);
    const { exitCode, text } = await ranToItsEnd(here.folder, ['call', 'slow.wait', 'ms=600', 'steps=3']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(text).toContain('33 %');
    expect(text).toContain('67 %');
    expect(text.slice(text.lastIndexOf(' %'))).toContain('\r\u001b[2K');
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
  });

  test('a start shows a spinner for each server until it is ready', async () => {
    await using here = await stage([
      { name: 'slow', server: 'slow', args: ['--handshake-ms', '700'] },
      { name: 'dead', server: 'exits-at-once', args: ['--stderr', 'last words'] },
    ]);
    const { exitCode, text } = await ranToItsEnd(here.folder, ['start', 'slow', 'dead']);
    const words = stripVTControlCharacters(text);
    expect(exitCode).toBe(exitCodes.startFailed);
    expect(words).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] slow process \d+, waiting for its handshake …/);
    expect(words).toMatch(/! dead is started again: exited \(code 1\) before the handshake was over\./);
    // What remains of the drawing: each server once, and failures last.
    const rest = stripVTControlCharacters(text.slice(text.lastIndexOf('\u001b[J')));
    expect(rest).toMatch(/^\s*✓ slow is up 5 tools, \d\.\d s\r?\n✗ dead /);
    expect(rest.match(/slow|✗/g)).toHaveLength(2);
    expect(rest).toContain('  dead | last words');
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
  });

  test('restores the cursor after an interruption while spinners run', async () => {
    await using here = await stage([{ name: 'never', server: 'never-initializes' }]);
    await using start = await inTerminal(here.folder, ['start', 'never']);
    await start.seen('waiting for its handshake');
    start.press(ctrlC);
    const { exitCode, text } = await start.ended();
    expect(exitCode).toBe(exitCodes.interrupted);
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
    expect(text).toContain('Interrupted. The daemon and its servers keep running');
  });
});
