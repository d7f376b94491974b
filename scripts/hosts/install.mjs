import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.mjs';

/** For programs that want a newer Node than this one. The package with the binary itself needs no install script. */
const newerNode = `node-${process.platform}-${process.arch}`;

/**
 * Installs a program without install scripts, which would download more.
 *
 * @param {string} wish - A version, or `latest`.
 * @returns {Promise<{ file: string, version: string, path: string }>} The program, and the PATH to run it with.
 */
export async function installProgram({ family, packages, file }, wish, installs) {
  const folder = join(installs, `${family}-${wish}`);
  const modules = join(folder, 'node_modules');
  const program = join(modules, ...file);
  const isInstalled = await access(program).then(
    () => true,
    () => false,
  );
  if (!isInstalled) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const wanted = [...packages.slice(0, 1).map((name) => `${name}@${wish}`), `${newerNode}@24`];
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...options, '--prefix', folder, ...wanted], { cwd: folder, timeoutMs: 600_000 });
    await access(program);
  }
  const { version } = JSON.parse(await readFile(join(modules, ...packages[0].split('/'), 'package.json'), 'utf8'));
  return { file: program, version, path: `${join(modules, newerNode, 'bin')}:${process.env.PATH}` };
}
