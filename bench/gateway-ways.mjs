import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../scripts/free-port.mjs';
import { packagePath } from './own-packages.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const token = 'what-a-gateway-on-loopback-asks-for';

/**
 * The ways to one server, by name and by the client's transport: each starts what it takes and gives the `target` for a
 * client, and where a process of its own stands in between its `pid`. Over stdio it is the client that starts it.
 *
 * @param setting.node - What runs everything.
 * @param setting.folder - Where the peers are installed.
 */
export function waysTo({ node, folder }) {
  const server = { name: 's0', command: node, args: [here('minimal-server.mjs')] };
  const ours = (transport) => [
    here('gateway-process.mjs'),
    transport,
    // As many calls at once as the bench makes; the peers have no such limit.
    JSON.stringify({ ...server, autoStart: true, limits: { maxConcurrentCalls: 64 } }),
  ];
  const env = { ...process.env, GATEWAY_TOKEN: token, MCPX_TOKEN: token, MCPX_TRUST: '1' };
  /** In a folder of its own, with its state there. */
  const mcpxServe = (options) => {
    const cwd = mkdtempSync(join(tmpdir(), 'bench-mcpx-'));
    const entry = { command: server.command, args: server.args, auto_start: true, max_concurrent_calls: 64 };
    writeFileSync(join(cwd, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: { s0: entry } }));
    const home = { HOME: cwd, XDG_STATE_HOME: cwd, XDG_CACHE_HOME: cwd, XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd };
    const close = async () => rmSync(cwd, { recursive: true, force: true });
    return {
      command: node,
      args: [packagePath('mcp-cli', 'bin.js'), 'serve', '--own-servers', ...options],
      env: { ...env, ...home },
      cwd,
      close,
    };
  };
  const peer = (path) => join(folder, 'node_modules', path);
  return {
    direct: {
      stdio: async () => stdio({ command: node, args: server.args, env }),
      http: async () => listening(node, [here('minimal-http-server.mjs')], { env }),
    },
    'bare hop': {
      http: async () => listening(node, [here('bare-hop.mjs'), server.command, ...server.args], { env }),
    },
    '@x/mcp-registry': {
      stdio: async () => stdio({ command: node, args: ours('stdio'), env }),
      http: async () => listening(node, ours('http'), { env, headers: { authorization: `Bearer ${token}` } }),
    },
    'mcpx serve': {
      stdio: async () => {
        const { cwd, close, ...target } = mcpxServe([]);
        return { ...stdio({ ...target, args: [...target.args, '--config', cwd] }), close };
      },
      http: async () => {
        const { command, args, env: own, cwd, close } = mcpxServe(['--http', '--port', '0']);
        const headers = { authorization: `Bearer ${token}` };
        const way = await listening(command, args, { env: own, cwd, headers });
        return { ...way, close: () => way.close().then(close) };
      },
    },
    'mcp-proxy': {
      http: async () => {
        const port = await freePort();
        const own = ['--port', String(port), '--host', '127.0.0.1', '--', server.command, ...server.args];
        const child = spawn(node, [peer('mcp-proxy/dist/bin/mcp-proxy.mjs'), ...own], { env, stdio: 'ignore' });
        return started(child, { kind: 'http', url: `http://127.0.0.1:${port}/mcp` });
      },
    },
    'mcp-hub': {
      http: async () => {
        const port = await freePort();
        const state = mkdtempSync(join(tmpdir(), 'bench-mcp-hub-'));
        const config = join(state, 'servers.json');
        writeFileSync(config, JSON.stringify({ mcpServers: { s0: { command: server.command, args: server.args } } }));
        const own = ['--port', String(port), '--config', config];
        const home = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, XDG_DATA_HOME: state };
        const child = spawn(node, [peer('mcp-hub/dist/cli.js'), ...own], { env: { ...env, ...home }, stdio: 'ignore' });
        child.once('exit', () => rmSync(state, { recursive: true, force: true }));
        // It has no other transport than server-sent events.
        return started(child, { kind: 'sse', url: `http://127.0.0.1:${port}/mcp` });
      },
    },
  };
}

function stdio(target) {
  return { target: { kind: 'stdio', ...target }, close: async () => undefined };
}

/** A program of ours, which says where it listens. */
async function listening(command, args, { env, cwd, headers = {} }) {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    const look = (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    };
    createInterface({ input: child.stdout }).on('line', look);
    createInterface({ input: child.stderr }).on('line', look);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} has ended with code ${code}`)));
  });
  return { target: { kind: 'http', url, headers }, pid: child.pid, close: () => end(child) };
}

/** A peer says nothing that could be waited for, so it is asked until it answers with the server's tools. */
async function started(child, target) {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`The process for ${target.url} has ended with code ${child.exitCode}`);
    if (await answers(target)) return { target, pid: child.pid, close: () => end(child) };
    await delay(100);
  }
  throw new Error(`${target.url} does not answer`);
}

async function answers({ url }) {
  const stop = new AbortController();
  try {
    await fetch(url, { signal: stop.signal, headers: { accept: 'text/event-stream' } });
    return true;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
  await gone;
  clearTimeout(late);
}
