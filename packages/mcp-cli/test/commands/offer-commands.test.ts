import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage, upOn } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

const servers = [
  { name: 'docs', server: 'resources-and-prompts', fields: { auto_start: false } },
  { name: 'plain', server: 'echo' },
] as const;

async function stage() {
  const here = await project({ 'mcp_servers.yaml': serversFile(servers) });
  const options = { cwd: here.folder, stateDirectory: join(here.folder, 'state') };
  return {
    run: (...argv: string[]) => runMcpx(argv, options),
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  };
}

describe('resources', () => {
  test('of a named server are requested once and then known', async () => {
    await using here = await stage();
    const asked = await here.run('resources', 'docs');
    expect(asked.exitCode).toBe(exitCodes.ok);
    expect(asked.stdout).toMatch(
      /^docs: 3 resources\n {2}test:\/\/a {2}a\n {2}test:\/\/b {2}b\n {2}test:\/\/\{name\} {2}any\n$/,
    );
    expect(asked.stderr).toContain('docs ready');
    expect(asked.stderr).toContain('warning: docs: an entry without a URI or a name was left out');
    const all = await here.run('resources');
    expect(all.stdout).toMatch(/^docs: 3 resources as listed at \S+Z\n/);
    expect(all.stderr).toContain('The resources of these servers are unknown: plain.');
    expect(all.stderr).not.toContain('ready');
  });

  test('--json lists them by server, with templates', async () => {
    await using here = await stage();
    const { stdout } = await here.run('resources', 'list', 'docs', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      servers: [
        {
          server: 'docs',
          resources: [
            { uri: 'test://a', name: 'a' },
            { uri: 'test://b', name: 'b', 'x-extra': [1] },
          ],
          templates: [{ uriTemplate: 'test://{name}', name: 'any' }],
          problems: expect.any(Array),
        },
      ],
      notAsked: [],
    });
  });

  test('of a server without resources are empty', async () => {
    await using here = await stage();
    expect(await here.run('resources', 'plain')).toMatchObject({ exitCode: 0, stdout: 'plain: 0 resources\n' });
  });

  test('read prints the contents, of the one server that lists the URI or that is named', async () => {
    await using here = await stage();
    const unclear = await here.run('resources', 'read', 'test://a');
    expect(unclear.exitCode).toBe(exitCodes.notFound);
    expect(unclear.stderr).toContain('Name the server with --server.');
    const named = await here.run('resources', 'read', 'test://zzz', '--server', 'docs');
    expect(named).toMatchObject({ exitCode: exitCodes.ok, stdout: 'the text of test://zzz\n' });
    await here.run('resources', 'docs');
    expect(await here.run('resources', 'read', 'test://a')).toMatchObject({ stdout: 'the text of test://a\n' });
    const asJson = await here.run('resources', 'read', 'test://a', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ contents: [{ uri: 'test://a', mimeType: 'text/plain' }] });
  });

  test('unknown ones are reported with the error of the server', async () => {
    await using here = await stage();
    const { exitCode, stderr } = await here.run('resources', 'read', 'test://missing', '--server', 'docs');
    expect(exitCode).toBe(exitCodes.failed);
    expect(stderr).toContain('Resource not found');
  });
});

describe('prompts', () => {
  test('are listed as typed on the command line', async () => {
    await using here = await stage();
    const { stdout } = await here.run('prompts', 'docs');
    expect(stdout).toBe('docs: 1 prompt\n  greet who=\n');
    const asJson = JSON.parse((await here.run('prompts', 'docs', '--json')).stdout);
    expect(asJson).toMatchObject({ servers: [{ server: 'docs', prompts: [{ name: 'greet' }] }], notAsked: [] });
  });

  test('get passes arguments and prints the messages', async () => {
    await using here = await stage();
    const { exitCode, stdout } = await here.run('prompts', 'get', 'docs', 'greet', 'who=world');
    expect({ exitCode, stdout }).toEqual({ exitCode: exitCodes.ok, stdout: 'greet\nuser:\nHello world\n' });
    const asJson = await here.run('prompts', 'get', 'docs', 'greet', 'who=world', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ messages: [{ role: 'user', content: { text: 'Hello world' } }] });
    expect((await here.run('prompts', 'get', 'docs', 'greet', 'world')).exitCode).toBe(exitCodes.usage);
  });

  test.each([
    [['gret', 'who=you'], exitCodes.notFound, 'Did you mean "greet"? Its prompts: greet.'],
    [['greet'], exitCodes.usage, 'needs the argument "who".\nUsage: greet who='],
    [['greet', 'who=you', 'tone=dry'], exitCodes.usage, 'has no argument "tone".\n'],
  ])('get of what the server does not list says what would be right: %j', async (words, exitCode, reason) => {
    await using here = await stage();
    const outcome = await here.run('prompts', 'get', 'docs', ...words);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toContain(reason);
  });

  test('of an unknown server are answered with the nearest name', async () => {
    await using here = await stage();
    for (const argv of [
      ['prompts', 'dics'],
      ['prompts', 'get', 'dics', 'greet'],
      ['resources', 'dics'],
    ]) {
      const { exitCode, stderr } = await here.run(...argv);
      expect(exitCode).toBe(exitCodes.notFound);
      expect(stderr).toContain('Did you mean "docs"?');
    }
  });
});

test('a daemon returns the same', async () => {
  await using daemon = await daemonStage(servers);
  await upOn(daemon);
  const nothing = JSON.parse((await onStage(daemon, ['resources', '--json'])).stdout);
  expect(nothing).toMatchObject({ servers: [{ server: 'plain', resources: [] }], notAsked: ['docs'] });
  const listed = await onStage(daemon, ['resources', 'docs', '--refresh']);
  expect(listed.stdout).toMatch(/^docs: 3 resources\n/);
  expect((await onStage(daemon, ['resources', 'read', 'test://b'])).stdout).toBe('the text of test://b\n');
  expect((await onStage(daemon, ['prompts', 'get', 'docs', 'greet', 'who=you'])).stdout).toContain('Hello you');
});
