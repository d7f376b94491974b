// The installed `mcpx` in an empty folder of a user whose servers are in editors: nothing is written, and their tools answer.
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { installedMcpx } from './installed-mcpx.mjs';

const home = await realpath(await mkdtemp(join(tmpdir(), 'use-editors-')));
const cwd = join(home, 'empty');
const env = {
  PATH: process.env.PATH,
  HOME: home,
  USERPROFILE: home,
  APPDATA: join(home, 'AppData', 'Roaming'),
  XDG_RUNTIME_DIR: join(home, 'run'),
};
const greeter = { command: process.execPath, args: [resolve('server.mjs')] };
const editors = {
  '.cursor/mcp.json': { mcpServers: { greeter } },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor would fill it
  '.claude.json': { mcpServers: { private: { ...greeter, env: { KEY: '${NOT_SET_ANYWHERE}' } } } },
  '.gemini/settings.json': { mcpServers: { other: { ...greeter, args: [...greeter.args, 'other'] } } },
};
const { outcome, text, json } = await installedMcpx({ cwd, env });

try {
  for (const folder of [cwd, env.XDG_RUNTIME_DIR]) await mkdir(folder, { mode: 0o700 });
  for (const [file, content] of Object.entries(editors)) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), JSON.stringify(content));
  }
  const { servers } = await json('list');
  const shown = servers.map(({ name, file, needs }) => [name, file, needs?.map((each) => each.name)]);
  deepEqual(shown.toSorted(), [
    ['greeter', join(home, '.cursor', 'mcp.json'), undefined],
    ['other', join(home, '.gemini', 'settings.json'), undefined],
    ['private', join(home, '.claude.json'), ['NOT_SET_ANYWHERE']],
  ]);
  for (const name of ['greeter', 'other']) equal(await text('call', `${name}.greet`, 'name=Ada'), 'Hello, Ada\n');
  const unset = await outcome('call', 'private.greet', 'name=Ada');
  match(unset.stderr, /NOT_SET_ANYWHERE/);
  deepEqual(await readdir(cwd), []);
} finally {
  await outcome('down', '--now');
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}
