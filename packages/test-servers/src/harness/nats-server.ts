import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { standStill } from './stand-still.js';

export interface NatsServerOptions {
  /** Further configuration lines. */
  readonly config?: string;
  /** Default `true`. */
  readonly jetstream?: boolean;
  /** Name of its JetStream for leaf nodes. */
  readonly domain?: string;
}

/** A real nats-server with its own port and folder. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
  /** Ends it like a crash, until `restart`. */
  kill(): Promise<void>;
  /** Restarts it on the same port. `config` replaces the earlier one. */
  restart(options?: { readonly stored?: 'kept' | 'lost'; readonly config?: string }): Promise<void>;
  /** Suspends its process, which keeps its connections, until `resume`. */
  pause(): Promise<void>;
  resume(): void;
}

const binary = process.env.NATS_SERVER ?? 'nats-server';

export async function startNatsServer({
  config = '',
  jetstream = true,
  domain,
}: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-fleet-nats-'));
  const store = join(folder, 'store');
  const settings = { folder, domain, store: jetstream ? store : undefined };
  let current = config;
  let running: Running;
  try {
    running = await start({ ...settings, port: -1, config: current });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const { port } = running;

  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    async stop() {
      await end(running.child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
    kill: () => end(running.child, 'SIGKILL'),
    async restart({ stored = 'kept', config: next = current } = {}) {
      await end(running.child, 'SIGTERM');
      if (stored === 'lost') await rm(store, { recursive: true, force: true });
      current = next;
      running = await start({ ...settings, port, config: current });
    },
    pause: () => standStill(running.child),
    resume: () => void running.child.kill('SIGCONT'),
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(options: {
  readonly folder: string;
  readonly port: number;
  readonly config: string;
  readonly store: string | undefined;
  readonly domain: string | undefined;
}): Promise<Running> {
  const file = join(options.folder, 'nats-server.conf');
  const domain = options.domain === undefined ? '' : `, domain: ${options.domain}`;
  const jetstream =
    options.store === undefined ? '' : `jetstream { store_dir: ${JSON.stringify(options.store)}${domain} }\n`;
  await writeFile(file, `listen: "127.0.0.1:${options.port}"\n${jetstream}${options.config}\n`);
  const child = spawn(binary, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  await once(child, 'spawn').catch((cause) => {
    const how = 'Install it with "apt-get install nats-server", or set NATS_SERVER to its path';
    throw new Error(`These tests need a nats-server, and ${binary} cannot be started. ${how}.`, { cause });
  });
  return { child, port: await portWhenReady(child) };
}

async function portWhenReady(child: ChildProcess): Promise<number> {
  if (child.stderr === null) throw new Error('nats-server was started without its stderr');
  const said: string[] = [];
  let port: number | undefined;
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    said.push(line);
    port ??= numberIn(/Listening for client connections on [^ ]*:(\d+)$/.exec(line)?.[1]);
    if (!line.includes('Server is ready') || port === undefined) continue;
    child.stderr.resume();
    return port;
  }
  throw new Error(`nats-server ended before it was ready:\n${said.join('\n')}`);
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  child.kill('SIGCONT');
  await exited;
}
