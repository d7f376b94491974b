// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { chmod, chown, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkConfig } from '@x/mcp-config-schema';
import { expect, test } from 'vitest';
import { type HostTexts, hostTextReader } from '../../src/host-apps/host-texts.js';
import { project } from '../helpers/project.js';

const isRoot = process.getuid?.() === 0;

const cursor = (servers: object): string => JSON.stringify({ mcpServers: servers });
const torn = '{"mcpServers": {"a": {"comm';

/** A home and a clone with files of host apps. */
async function machine(files: Readonly<Record<string, string>>, { clone = 'clone' } = {}) {
  const { folder: created, [Symbol.asyncDispose]: remove } = await project(files);
  const folder = await realpath(created);
  const at = (path: string): string => join(folder, path);
  for (const name of ['home', clone]) await mkdir(at(name), { recursive: true });
  return {
    at,
    reader: (env: Readonly<Record<string, string>> = {}, hosts: readonly string[] = []) => {
      const home = { HOME: at('home'), USERPROFILE: at('home') };
      return hostTextReader(hosts, { cwd: folder, env: { ...home, ...env }, project: at(clone) });
    },
    write: async (path: string, text: string) => {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    },
    [Symbol.asyncDispose]: remove,
  };
}

function serversIn({ texts }: HostTexts): Record<string, { command: string; cwd?: string }> {
  return Object.assign({}, ...texts.map(({ text }) => JSON.parse(text).mcp_servers));
}

test.skipIf(!isRoot)("a file of another user in everyone's directory is left out, and others are not", async () => {
  await using here = await machine({
    'clone/.cursor/mcp.json': cursor({ planted: { command: 'evil' } }),
    'clone/.roo/mcp.json': cursor({ own: { command: 'own' } }),
    'shared/.cursor/mcp.json': cursor({ colleague: { command: 'fine' } }),
  });
  for (const folder of ['clone', 'shared']) {
    await chown(here.at(`${folder}/.cursor`), 4242, 4242);
    await chown(here.at(`${folder}/.cursor/mcp.json`), 4242, 4242);
  }
  await chmod(here.at('clone'), 0o1777);
  const { leftOut, ...found } = await here.reader()();
  expect(Object.keys(serversIn({ leftOut, ...found }))).toEqual(['own']);
  const reason = 'it belongs to another user and is in a world-writable directory';
  expect(leftOut).toEqual([{ file: here.at('clone/.cursor/mcp.json'), reason }]);

  const shared = hostTextReader([], { cwd: here.at('.'), env: { HOME: here.at('home') }, project: here.at('shared') });
  expect(Object.keys(serversIn(await shared()))).toEqual(['colleague']);
  await chmod(here.at('shared/.cursor'), 0o777);
  const again = hostTextReader([], { cwd: here.at('.'), env: { HOME: here.at('home') }, project: here.at('shared') });
  expect(await again()).toMatchObject({ texts: [], leftOut: [{ reason }] });
});

test('a file that is half saved keeps its servers, and a removed one does not', async () => {
  const file = 'home/.cursor/mcp.json';
  await using here = await machine({ [file]: cursor({ a: { command: 'a' } }), 'home/.gemini/settings.json': '{}' });
  const read = here.reader();
  const names = async () => Object.keys(serversIn(await read()));
  expect(await names()).toEqual(['a']);
  await here.write(file, torn);
  expect(await names()).toEqual(['a']);
  expect((await read()).leftOut).toEqual([
    { file: here.at(file), reason: expect.stringMatching(/; its servers stay as they were$/) },
  ]);
  await here.write('home/.gemini/settings.json', cursor({ b: { command: 'b' } })); // another reading
  expect(await names()).toEqual(['a', 'b']);
  await here.write(file, cursor({ c: { command: 'c' } }));
  expect(await names()).toEqual(['c', 'b']);
  expect((await read()).leftOut).toEqual([]);
  await rm(here.at(file));
  expect(await names()).toEqual(['b']);
  await here.write(file, torn);
  const { leftOut } = await here.reader()(); // has never seen it sound
  expect(leftOut.map(({ reason }) => reason.includes('stay as'))).toEqual([false]);
});

test("a clone takes no name of a user's server that is left out", async () => {
  await using here = await machine({
    'home/.cursor/mcp.json': cursor({ faulty: { command: 5 }, twin: { command: 'a' }, b: { command: 'a' } }),
    'home/.gemini/settings.json': cursor({ equal: { command: 'a' } }),
    'clone/.cursor/mcp.json': cursor({ faulty: { command: 'x' }, equal: { command: 'y' }, free: { command: 'z' } }),
  });
  const servers = serversIn(await here.reader()());
  expect(Object.keys(servers)).toEqual(['twin', 'faulty-cursor', 'equal-cursor', 'free']);
});

test("a clone takes no name while a user's file is faulty, unless its last servers are known", async () => {
  const file = 'home/.cursor/mcp.json';
  await using here = await machine({
    [file]: cursor({ a: { command: 'a' } }),
    'home/.gemini/settings.json': cursor({ own: { command: 'own' } }),
    'clone/.roo/mcp.json': cursor({ a: { command: 'x' }, b: { command: 'y' } }),
  });
  const read = here.reader();
  const known = ['a', 'own', 'a-roo', 'b'];
  expect(Object.keys(serversIn(await read()))).toEqual(known);
  await here.write(file, torn);
  expect(Object.keys(serversIn(await read()))).toEqual(known);
  expect(Object.keys(serversIn(await here.reader()()))).toEqual(['own', 'a-roo', 'b-roo']);
});

test('a relative path in a variable of one app leaves the others as they are', async () => {
  await using here = await machine({ 'home/.cursor/mcp.json': cursor({ a: { command: 'a' } }) });
  const texts = await here.reader({ CODEX_HOME: 'relative' })();
  expect(Object.keys(serversIn(texts))).toEqual(['a']);
  expect(texts.leftOut).toEqual([{ file: expect.any(String), reason: expect.stringContaining('CODEX_HOME') }]);
});

test('a family has its files of the user and of the project, also if the user has none', async () => {
  await using here = await machine({
    'clone/librechat.yaml': 'mcpServers:\n  a: { command: a }\n',
    'clone/.cursor/mcp.json': cursor({ b: { command: 'b' } }),
    'home/.cursor/mcp.json': cursor({ c: { command: 'c' } }),
  });
  const namesOf = async (...hosts: string[]) => Object.keys(serversIn(await here.reader({}, hosts)()));
  expect(await namesOf('librechat')).toEqual(['a']);
  expect(await namesOf('cursor', 'xcode-codex')).toEqual(['c', 'b']);
  expect(await namesOf('cursor-project')).toEqual(['b']);
});

test.skipIf(process.platform === 'win32').each(["it $' costs", 'a $& b', 'a $$ b', '${X}', '{{env.X}}'])(
  'the folder %j is text in an entry that names it',
  async (clone) => {
    const text = cursor({ a: { command: 'a', args: ['${workspaceFolder}/src'] } });
    await using here = await machine({ [`${clone}/.cursor/mcp.json`]: text }, { clone });
    const { texts } = await here.reader()();
    const { servers } = checkConfig(
      { text: texts[0]?.text ?? '', file: 'servers.json' },
      { variables: { X: 'replaced' } },
    ).config ?? { servers: [] };
    expect(servers).toMatchObject([{ args: [`${here.at(clone)}/src`] }]);
  },
);

test.each(['n'.repeat(128), `${'n'.repeat(116)}${'😀'.repeat(6)}`])(
  'a name of 128 characters stays short enough',
  async (name) => {
    await using here = await machine({
      'home/.cursor/mcp.json': cursor({ [name]: { command: 'a' } }),
      'home/.gemini/settings.json': cursor({ [name]: { command: 'b' } }),
    });
    const { texts } = await here.reader()();
    for (const { text } of texts) expect(checkConfig({ text, file: 'servers.json' }).issues).toEqual([]);
    const names = texts.flatMap(({ text }) => Object.keys(JSON.parse(text).mcp_servers));
    expect(names).toEqual([name, expect.stringMatching(/-gemini-cli$/)]);
  },
);
