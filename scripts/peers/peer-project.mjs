// Empty projects with other libraries, for programs of the documentation that use them.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientPeers } from '../../bench/peers.mjs';
import { root } from '../root.mjs';
import { run } from '../run.mjs';

const serverVersion = '2026.8.31';
const serverNames = ['everything', 'filesystem', 'memory'];

/** Packages between a program and its model. */
export const modelPackages = { ai: '7.0.173', '@ai-sdk/openai': '4.0.118' };

/**
 * Installs the Node that every peer runs on, and real servers.
 *
 * @returns `node`, the path of its binary; `servers`, the path of each server's program by name; `versions` as a text.
 */
export async function installShared(folder) {
  const packageOf = (name) => `@modelcontextprotocol/server-${name}`;
  const servers = Object.fromEntries(serverNames.map((name) => [packageOf(name), serverVersion]));
  await install(folder, { node: clientPeers.node, ...servers });
  const modules = join(folder, 'node_modules');
  return {
    node: join(modules, 'node', 'bin', 'node'),
    servers: Object.fromEntries(serverNames.map((name) => [name, join(modules, packageOf(name), 'dist', 'index.js')])),
    versions: `servers ${serverVersion}`,
  };
}

/** Installs with npm, unless the folder has exactly this already. */
export async function install(folder, dependencies, overrides = {}) {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies, overrides });
  const file = join(folder, 'package.json');
  if (existsSync(join(folder, 'package-lock.json')) && (await readFile(file, 'utf8')) === manifest) return;
  await mkdir(folder, { recursive: true });
  await writeFile(file, manifest);
  console.error(`Installing ${Object.keys(dependencies).join(', ')}`);
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], { cwd: folder });
}

/** Type-checks a program in its project, under strict rules. */
export async function typeCheck(folder, program) {
  const rules = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--module', 'nodenext'];
  const types = ['--target', 'esnext', '--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node'];
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [tsc, '--noEmit', ...rules, ...types, program], { cwd: folder });
}
