import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Control } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { Access, linkLifetimeMs } from './access.js';
import { Refusal, refusalOf, sendRefusal, setSafetyHeaders, toRefusal } from './http.js';
import { LiveFeed } from './live-feed.js';
import type { ConfigView, PageKey, ServerConfigView } from './page-messages.js';
import { PageQuestions } from './page-questions.js';
import type { Recorder } from './recorder.js';
import { handleRoute, type RouteParts } from './routes.js';

const address = '127.0.0.1';
const maxConnections = 128;

interface DashboardOptions {
  readonly control: Control;
  readonly recorder: Recorder;
  readonly configReport: () => Promise<ConfigView>;
  /** @throws {Refusal} `unknown-server`. */
  readonly serverConfig: (server: string) => Promise<ServerConfigView>;
  readonly pageDirectory: string;
}

export interface DashboardLink {
  /** Can be opened once. */
  readonly url: string;
  readonly expiresInMs: number;
  /** Resolves once it was opened. */
  readonly opened: Promise<void>;
}

/** Serves the page and its API on the loopback interface. */
export interface Dashboard extends AsyncDisposable {
  /** Pages with an open event stream. */
  readonly readers: number;
  /** @param may - Rights of the page that opens it. */
  newLink(may: PageKey): DashboardLink;
}

/** @throws {ControlError} `internal`: the page's files are missing, or no port is free. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const files = await pageFiles(options.pageDirectory);
  // Unguessable: browsers send cookies to every port of this machine, but only below their path.
  const path = `/${randomBytes(16).toString('hex')}/`;
  const access = new Access();
  const feed = new LiveFeed(options.recorder);
  const server = createServer({ requireHostHeader: true, headersTimeout: 10_000, requestTimeout: 30_000 });
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 100;
  server.listen({ host: address, port: 0, exclusive: true });
  await once(server, 'listening');
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
  const questions = new PageQuestions();
  const parts: RouteParts = { ...options, access, feed, questions, cookie: { name: 'mcpx_read', path } };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void handle(request, response, { origin, path, files, parts });
  });

  return {
    get readers() {
      return feed.readers;
    },
    newLink: (may) => {
      let opened: () => void = () => undefined;
      const wasOpened = new Promise<void>((resolve) => {
        opened = resolve;
      });
      // The fragment is never sent or logged, and the page removes it at once.
      const url = `${origin}${path}#link=${access.newLink(may, opened)}`;
      return { url, expiresInMs: linkLifetimeMs, opened: wasOpened };
    },
    [Symbol.asyncDispose]: async () => {
      feed[Symbol.dispose]();
      await closeServer(server);
    },
  };
}

interface Site {
  readonly origin: string;
  readonly path: string;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly parts: RouteParts;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, path, files, parts }: Site,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('the page has disconnected')));
  response.on('error', () => undefined); // `close` follows
  setSafetyHeaders(response);
  try {
    const refusal = refusalOf(request, origin);
    if (refusal !== undefined) throw new Refusal(403, 'refused', refusal);
    const [where = '', query = ''] = (request.url ?? '').split('?', 2);
    if (!where.startsWith(path)) throw new Refusal(404, 'not-found', 'Not found');
    const name = where.slice(path.length);
    const file = request.method === 'POST' ? undefined : files.get(name);
    if (file) {
      response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
      response.end(request.method === 'HEAD' ? undefined : file.bytes);
      return;
    }
    await handleRoute(name, { request, response, query: new URLSearchParams(query), signal: gone.signal }, parts);
  } catch (error) {
    if (!gone.signal.aborted) sendRefusal(response, toRefusal(error));
  }
}

async function pageFiles(directory: string): Promise<ReadonlyMap<string, PageFile>> {
  try {
    return await readPageFiles(directory);
  } catch (cause) {
    throw new ControlError('internal', `The files of the dashboard cannot be read from ${directory}.`, {
      hint: 'Install the package again, or build it.',
      cause,
    });
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * All files of the page by name, read in advance, so that a request can read nothing else. `index.html` also has the
 * name ''.
 *
 * @throws The directory does not exist or contains no page.
 */
async function readPageFiles(directory: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(directory)) {
    const type = types[extname(name)];
    if (type !== undefined) files.set(name, { type, bytes: await readFile(join(directory, name)) });
  }
  const page = files.get('index.html');
  if (!page) throw new Error(`There is no index.html in ${directory}`);
  return files.set('', page);
}
