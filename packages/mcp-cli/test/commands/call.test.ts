import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { hostileServer, onStage, typedTools, upOn } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

const servers = serversFile([
  { name: 'files', server: 'echo' },
  { name: 'slow', server: 'slow' },
  { name: 'shots', server: 'echo', fields: hostileServer },
]);

function stage(): ReturnType<typeof project> {
  return project({ 'mcp_servers.yaml': servers });
}

describe('an unknown tool', () => {
  test.each([
    ['add', 'Did you mean "mcp__files__add"?'],
    ['files.ehco', 'Did you mean "mcp__files__echo"?'],
    ['fils.echo', 'Did you mean "mcp__files__echo"?'],
  ])('%s is answered with the one that was meant', async (tool, meant) => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['call', tool, 'text=x'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain(meant);
  });

  test('is answered with all tools of its name', async () => {
    const both = serversFile(['one', 'two'].map((name) => ({ name, server: 'echo' })));
    await using here = await project({ 'mcp_servers.yaml': both });
    const { stderr } = await runMcpx(['call', 'echo', 'text=x'], { cwd: here.folder });
    expect(stderr).toContain('Several servers have one: mcp__one__echo, mcp__two__echo.');
  });
});

test('a call that times out names the option for more time', async () => {
  await using here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'slow', server: 'slow' }]) });
  const argv = ['call', 'slow.wait', 'ms=60000', '--timeout', '0.2'];
  const { exitCode, stderr } = await runMcpx(argv, { cwd: here.folder });
  expect(exitCode).toBe(exitCodes.timedOut);
  expect(stderr).toContain('Raise --timeout to wait longer.');
});

describe('arguments', () => {
  test.each([
    ['text=hello', 'hello\n'],
    ['text=5', '5\n'],
    ['text={}', '{}\n'],
  ])('%s is the text that the tool wants', async (word, stdout) => {
    await using here = await stage();
    expect(await runMcpx(['call', 'mcp__files__echo', word], { cwd: here.folder })).toMatchObject({
      exitCode: 0,
      stdout,
    });
  });

  test('JSON that does not fit the tool is a usage error that lists its arguments', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['call', 'files.echo', 'text:=[1]'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('- /text must be a string, got an array (expected: string)\n');
    expect(stderr.split('/text')).toHaveLength(2); // reported once
  });

  test('numbers are passed as numbers', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['call', 'files.add', 'a=2', 'b=0.5'], { cwd: here.folder });
    expect(stdout).toBe('2.5\n');
  });

  test('a value of the wrong type is a usage error', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['call', 'files.add', 'a=two', 'b=1'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.usage);
    expect(stderr).toContain('The argument "a" must be number, not "two".');
  });
});

describe('spellings', () => {
  test.each([
    ['files.add a:2 b:3'],
    ['files.add a: 2 b: 3'],
    ['files.add --a 2 --b=3'],
    ['files.add --a 2 --timeout 20 b:=3'],
    ['files.add -- --a 2 --b 3'],
  ])('%s', async (words) => {
    await using here = await stage();
    const { stdout } = await runMcpx(['call', ...words.split(' ')], { cwd: here.folder });
    expect(stdout).toBe('5\n');
  });

  test('a call like a function is one word', async () => {
    await using here = await stage();
    const { stdout } = await runMcpx(['call', `files.echo(text: "say 'hi'")`], { cwd: here.folder });
    expect(stdout).toBe("say 'hi'\n");
    const wrong = await runMcpx(['call', 'files.echo(text: hi)'], { cwd: here.folder });
    expect(wrong.exitCode).toBe(exitCodes.usage);
    expect(wrong.stderr).toContain('"hi" needs quotes.\n  files.echo(text: hi)\n                   ^\n');
    expect(wrong.stderr).not.toContain('spawned');
  });

  test('text that looks like a number stays text', async () => {
    await using here = await stage();
    for (const word of ['text:5', '--text=5', 'text=5']) {
      expect((await runMcpx(['call', 'files.echo', word], { cwd: here.folder })).stdout).toBe('5\n');
    }
  });

  test('an unknown option before the tool is a mistake, behind it an argument that the tool lacks', async () => {
    await using here = await stage();
    const before = await runMcpx(['call', '--tiemout', '5', 'files.echo'], { cwd: here.folder });
    expect(before.exitCode).toBe(exitCodes.usage);
    expect(before.stderr).toContain(`unknown option '--tiemout'\n(Did you mean "--timeout"?)`);
    const behind = await runMcpx(['call', 'files.echo', '--tiemout', '5'], { cwd: here.folder });
    expect(behind.exitCode).toBe(exitCodes.usage);
    expect(behind.stderr).toContain('Did you mean "--timeout"?');
  });

  test('an option of mcpx is never an argument, and is named if the tool has one of its name', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'pages', server: 'echo', fields: typedTools }]),
    });
    const run = (...words: string[]) => runMcpx(['call', 'pages.find_word', 'path=x', ...words], { cwd: here.folder });
    const taken = await run('--timeout', '9');
    expect(taken.stdout).toBe('find_word {"path":"x"}\n');
    expect(taken.stderr).toContain(
      '--timeout is an option of mcpx here. For the argument "timeout" of mcp__pages__find_word write timeout=...\n',
    );
    const { stderr } = await run('from=alice', '--config', here.folder);
    expect(stderr).not.toContain('--from is an option');
    const both = await run('--timeout', '9', 'timeout=5');
    expect(both.stdout).toBe('find_word {"path":"x","timeout":5}\n');
    expect(both.stderr).not.toContain('is an option of mcpx');
    expect((await run('--max-lines=2', '--no-deep', '--', '--timeout', '5')).stdout).toBe(
      'find_word {"path":"x","max_lines":2,"deep":false,"timeout":5}\n',
    );
  });
});

describe('names', () => {
  test('server.tool and server/tool mean the tool, as in role rules', async () => {
    await using here = await stage();
    for (const name of ['files.echo', 'files/echo']) {
      expect(await runMcpx(['call', name, 'text=hi'], { cwd: here.folder })).toMatchObject({
        exitCode: 0,
        stdout: 'hi\n',
      });
    }
  });

  test('suggests the nearest tool for a misspelt name', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await runMcpx(['call', 'mcp__files__ecoh'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('There is no tool named "mcp__files__ecoh".');
    expect(stderr).toContain('Did you mean "mcp__files__echo"?');
  });
});

describe('a near name', () => {
  const pages = serversFile([{ name: 'pages', server: 'echo', fields: typedTools }]);

  test.each(['pages.find-word', 'pages/findWord', 'mcp__pages__find_wrod', 'Find_Word'])(
    '%s is taken if only one tool can be meant and that one is read-only',
    async (tool) => {
      await using here = await project({ 'mcp_servers.yaml': pages });
      const { exitCode, stdout, stderr } = await runMcpx(['call', tool, 'path=x'], { cwd: here.folder });
      expect({ exitCode, stdout }).toEqual({ exitCode: exitCodes.ok, stdout: 'find_word {"path":"x"}\n' });
      expect(stderr).toContain(
        `There is no tool named "${tool}". Calling "mcp__pages__find_word", the only one that it can mean.\n`,
      );
    },
  );

  test.each([
    ['pages.remove-word', 'mcp__pages__remove_word'],
    ['pages.read-pge', 'mcp__pages__read-page'],
    ['page.find_word', 'mcp__pages__find_word'],
  ])('%s is not taken, but %s is suggested', async (tool, suggested) => {
    await using here = await project({ 'mcp_servers.yaml': pages });
    const { exitCode, stderr } = await runMcpx(['call', tool, 'path=x'], { cwd: here.folder });
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain(`Did you mean "${suggested}"?`);
  });

  test('is taken by a real server, and through a daemon', async () => {
    const filesystem = new URL(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
    await using daemon = await daemonStage([
      { name: 'files', server: 'echo', fields: { command: process.execPath, args: [fileURLToPath(filesystem), '.'] } },
    ]);
    await upOn(daemon);
    const near = await onStage(daemon, ['call', 'files.list-allowed-directories']);
    expect(near.stdout).toContain('Allowed directories:');
    expect(near.stderr).toContain('Calling "mcp__files__list_allowed_directories"');
    const writes = await onStage(daemon, ['call', 'files.write-file', 'path=x', 'content=y']);
    expect(writes).toMatchObject({ exitCode: exitCodes.notFound, stdout: '' });
    expect(writes.stderr).toContain('Did you mean "mcp__files__write_file"?');
  });

  test('of a tool that waits for approval is not taken', async () => {
    await using here = await project({ 'mcp_servers.yaml': pages });
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    await runMcpx(['pins', 'mode', 'approve'], options);
    await runMcpx(['discover', 'pages'], options);
    await runMcpx(['pins', 'approve', 'pages.read-pages'], options);
    const { exitCode, stderr } = await runMcpx(['call', 'pages.read-page', 'path=x'], options);
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('it waits for approval');
  });
});

describe('a result', () => {
  test('with an image saves it under a safe name and replaces no file', async () => {
    await using here = await stage();
    const argv = ['call', 'mcp__shots__plain', '--output', 'out'];
    const first = await runMcpx(argv, { cwd: here.folder });
    expect(first.exitCode).toBe(exitCodes.ok);
    const path = join(here.folder, 'out', 'mcp__shots__plain-1');
    expect(first.stdout).toContain(`6 bytes] saved as ${path}.bin\n`);
    const second = await runMcpx(argv, { cwd: here.folder });
    expect(second.stdout).toContain('mcp__shots__plain-3.bin');
    expect(await readFile(`${path}.bin`, 'utf8')).toBe('pixels');
  });

  test('as JSON is what the server sent, with files only on request', async () => {
    await using here = await stage();
    const plain = await runMcpx(['call', 'mcp__shots__plain', '--json'], { cwd: here.folder });
    expect(JSON.parse(plain.stdout)).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', data: 'cGl4ZWxz' }, { type: 'resource_link' }, { type: 'resource' }],
      isError: false,
    });
    expect(plain.stderr).not.toContain('saved as');
    const both = await runMcpx(['call', 'mcp__shots__plain', '--json', '-o', 'out'], { cwd: here.folder });
    expect(both.stdout).toBe(plain.stdout);
    expect(both.stderr).toContain('saved as ');
  });
});

describe('progress', () => {
  const argv = ['call', 'slow.wait', 'ms=40', 'steps=4'];

  test('is a bar on a terminal, erased at the end', async () => {
    await using here = await stage();
    const { stdout, stderr } = await runMcpx(argv, {
      cwd: here.folder,
      terminal: { columns: 80, rows: 24 },
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toBe('waited 40 ms\n');
    expect(stderr).toMatch(/\[█+ +\] (25|50|75) %/);
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
  });

  test('is not shown without a terminal', async () => {
    await using here = await stage();
    const { stderr } = await runMcpx(argv, { cwd: here.folder });
    expect(stderr).not.toContain('%');
  });
});

test('--verbose shows stderr of the server', async () => {
  await using here = await stage();
  const { stderr } = await runMcpx(['call', 'mcp__shots__plain', '--verbose', '--json'], { cwd: here.folder });
  expect(stderr).toMatch(/shots \| last words/);
});

describe('with a daemon', () => {
  test('a call uses its servers, and a server that it starts stays up', async () => {
    await using daemon = await daemonStage([
      { name: 'files', server: 'echo' },
      { name: 'manual', server: 'echo', fields: { auto_start: false } },
    ]);
    await upOn(daemon);
    const pids = await Promise.all([1, 2].map(() => onStage(daemon, ['call', 'files.pid'])));
    expect(pids[0]?.stdout).toBe(pids[1]?.stdout);
    expect(pids[0]?.stderr).toBe('');
    const woken = await onStage(daemon, ['call', 'manual.echo', 'text=up']);
    expect(woken).toMatchObject({ exitCode: 0, stdout: 'up\n', stderr: expect.stringContaining('manual ready') });
    const { servers: rows } = JSON.parse((await onStage(daemon, ['status', '--json'])).stdout);
    expect(rows).toMatchObject([{ state: 'running' }, { name: 'manual', state: 'running' }]);
  });

  test('progress and images pass through it', async () => {
    await using daemon = await daemonStage([
      { name: 'slow', server: 'slow' },
      { name: 'shots', server: 'echo', fields: hostileServer },
    ]);
    await upOn(daemon);
    const { stderr } = await onStage(daemon, ['call', 'slow.wait', 'ms=40', 'steps=4'], {
      terminal: { columns: 80, rows: 24 },
      env: { ...daemon.io.env, NO_COLOR: '1' },
    });
    expect(stderr).toMatch(/\[█+ +\] (25|50|75) %/);
    const shot = await onStage(daemon, ['call', 'shots.plain', '-o', 'out']);
    expect(shot.stdout).toContain(`saved as ${join(daemon.folder, 'out', 'mcp__shots__plain-1.bin')}`);
  });
});

describe('describe', () => {
  test('prints the known description, and starts the server only if there is none', async () => {
    await using here = await stage();
    const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
    expect((await runMcpx(['describe', 'files.add'], options)).stderr).toContain('files ready');
    const wrong = await runMcpx(['describe', 'files.dad'], options);
    expect(wrong.exitCode).toBe(exitCodes.notFound);
    const known = await runMcpx(['describe', 'files.add'], options);
    expect(known).toMatchObject({ exitCode: exitCodes.ok, stderr: '' });
    expect(known.stdout).toContain('mcp__files__add(a?: number, b?: number)');
    const asJson = JSON.parse((await runMcpx(['describe', 'mcp__files__add', '--json'], options)).stdout);
    expect(asJson).toMatchObject({
      tool: { server: 'files', tool: 'add' },
      signature: expect.any(String),
      text: expect.any(String),
    });
  });
});
