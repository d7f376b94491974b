import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packagePath } from './own-packages.mjs';

const binary = process.env.NATS_SERVER ?? 'nats-server';
const manifest = packagePath('mcp-fleet', '../package.json');
const fleetRequire = createRequire(manifest);

/** A package of the NATS client, the same module as the fleet's. */
export const loadNats = (name) => import(fleetRequire.resolve(`@nats-io/${name}`));

/** Why nothing that needs a nats-server can be measured here; `undefined` when there is one. */
export function lackOfNats() {
  if (spawnSync(binary, ['--version']).status === 0) return undefined;
  return `it needs a nats-server, and ${binary} cannot be started. Install it ("apt-get install nats-server", or from https://github.com/nats-io/nats-server/releases), or set NATS_SERVER to its path`;
}

/** A nats-server with a port and a folder of its own, as it is installed: keys are kept in files. */
export async function startNats() {
  const lack = lackOfNats();
  if (lack !== undefined) throw new Error(`This measurement cannot be made: ${lack}.`);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-nats-'));
  const config = join(folder, 'nats-server.conf');
  writeFileSync(
    config,
    `listen: "127.0.0.1:-1"\nhttp: "127.0.0.1:-1"\njetstream { store_dir: ${JSON.stringify(join(folder, 'store'))} }\n`,
  );
  const child = spawn(binary, ['--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const clear = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', clear);
  const { client, monitor } = await portsOf(child);
  return {
    url: `nats://127.0.0.1:${client}`,
    pid: child.pid,
    /** What it has counted: messages and bytes that clients have sent to it, and that it has sent to clients. */
    counts: async () => {
      const answer = await fetch(`http://127.0.0.1:${monitor}/varz`);
      const { in_msgs, out_msgs, in_bytes, out_bytes } = await answer.json();
      return { in_msgs, out_msgs, in_bytes, out_bytes };
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
      process.off('exit', clear);
      clear();
    },
  };
}

/** For the last line of what a script prints. */
export function natsVersions(names = ['transport-node']) {
  const server = spawnSync(binary, ['--version'], { encoding: 'utf8' })
    .stdout.replace(/^.*v(?=\d)/, '')
    .trim();
  const { devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [`nats-server ${server}`, ...names.map((name) => `@nats-io/${name} ${devDependencies[`@nats-io/${name}`]}`)];
}

async function portsOf(child) {
  const said = [];
  const ports = {};
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    ports.client ??= /Listening for client connections on \S*:(\d+)$/.exec(line)?.[1];
    ports.monitor ??= /Starting http monitor on \S*:(\d+)$/.exec(line)?.[1];
    if (!line.includes('Server is ready')) continue;
    child.stderr.resume();
    return ports;
  }
  throw new Error(`nats-server ended before it was ready:\n${said.join('\n')}`);
}
