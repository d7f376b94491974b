import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The versions that the printed numbers are about. They are installed for the bench alone, beside our own packages. */
export const clientPeers = {
  '@ai-sdk/mcp': '2.0.99',
  '@langchain/core': '^1.0.0',
  '@langchain/mcp-adapters': '1.1.4',
  '@mastra/core': '^1.68.0',
  '@mastra/mcp': '2.0.0',
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  mcporter: '0.12.3',
  node: '24.9.0',
  zod: '^4.0.0',
};

/** What else stands between a client and servers, and the clients that call through it. */
export const gatewayPeers = {
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  'mcp-hub': '4.2.1',
  'mcp-proxy': '6.7.19',
  node: '24.9.0',
  undici: '8.13.1',
};

/** What else is run from a terminal to look at servers and to call their tools. */
export const commandPeers = {
  '@modelcontextprotocol/inspector': '2.12.0',
  'mcp-hub': '4.2.1',
  mcporter: '0.12.3',
};

/**
 * What else is used day by day: commands, and gateways that they start. Later releases of `@mcp-use/cli` install at their
 * first call what the registry does not have.
 */
export const dailyPeers = {
  '@mcp-use/cli': '3.6.7',
  'mcp-hub': '4.2.1',
  mcporter: '0.12.3',
  undici: '7.16.0',
};

/** What else puts servers into the config files of other programs. */
export const installerPeers = {
  'add-mcp': '2.4.0',
  'install-mcp': '1.10.2',
  '@intellectronica/ruler': '0.3.44',
};

/**
 * Installs peers into a temporary folder, once for these versions.
 * @returns The folder, and the Node that every one of them runs on, where `node` is among the peers.
 */
export function installPeers(dependencies, { ignoreScripts = false } = {}) {
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2);
  const digest = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `mcp-bench-peers-${digest}`);
  const node = join(folder, 'node_modules', 'node', 'bin', 'node');
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), manifest);
    console.error(`Installing ${Object.keys(dependencies).length} peers into ${folder}`);
    const scripts = ignoreScripts ? ['--ignore-scripts'] : []; // `node` comes by a script
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...scripts];
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', process.stderr, 'inherit'] }); // stdout is for tables
    writeFileSync(done, '');
  }
  return { folder, node };
}

/** The version of a peer as it is installed. */
export function versionOf(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** The client libraries as they are installed, as in `mcporter 0.12.3`; the other packages are only what these need. */
export function clientPeerVersions(folder) {
  return [
    '@modelcontextprotocol/sdk',
    '@modelcontextprotocol/client',
    'mcporter',
    '@langchain/mcp-adapters',
    '@mastra/mcp',
    '@ai-sdk/mcp',
  ].map((name) => `${name} ${versionOf(folder, name)}`);
}
