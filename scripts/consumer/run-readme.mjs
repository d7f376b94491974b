import { equal } from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npmrc, npmSetting } from '../release/package-managers.mjs';
import { root } from '../root.mjs';
import { run } from '../run.mjs';

const greeting = 'Hello from the folder.';

/**
 * Runs the lines of README for a terminal, as they are written, in an empty folder of a new user.
 * @param registry - Where our packages are published: the name of one, and the URL.
 * @returns {Promise<{ line: string, ms: number }[]>} What each line took, in milliseconds.
 */
export async function runReadme(folder, registry) {
  const cwd = await mkdtemp(join(folder, 'readme-'));
  const home = join(cwd, 'home');
  const work = join(cwd, 'work');
  for (const each of [home, work]) await mkdir(each);
  await writeFile(join(work, '.npmrc'), npmrc(registry));
  await writeFile(join(work, 'README.md'), greeting);
  const env = { ...process.env, ...(await npmFiles()), HOME: home, USERPROFILE: home, XDG_RUNTIME_DIR: '' };
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'MCPX_TRUST']) delete env[name];
  const taken = [];
  let printed = '';
  for (const line of await terminalLines()) {
    const begun = performance.now();
    const [command, ...words] = line.split(' ');
    printed = (await run(command, words, { cwd: work, env })).stdout;
    taken.push({ line, ms: Math.round(performance.now() - begun) });
  }
  equal(printed, `${greeting}\n`);
  return taken;
}

/** npm would look for them in the new user's home. */
async function npmFiles() {
  return { npm_config_userconfig: await npmSetting('userconfig'), npm_config_cache: await npmSetting('cache') };
}

/** Each is a program and its words, without quotes. */
async function terminalLines() {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, block] = /In a terminal[^`]*`mcpx`[^`]*`README\.md`:\n\n```sh\n([^`]*)```/.exec(readme) ?? [];
  if (block === undefined) throw new Error('README has no lines for a terminal');
  return block.trim().split('\n');
}
