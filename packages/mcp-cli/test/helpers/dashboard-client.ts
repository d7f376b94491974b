import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { DashboardLink } from '../../src/dashboard/dashboard.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => ReturnType<typeof JSON.parse>;
}

export interface Ask {
  readonly method?: string;
  /** Sent as they are; a list sends a header more than once. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly setHost?: boolean;
}

/** One request with exactly these headers, as any program may send it. */
export function request(
  url: string,
  { method = 'GET', headers = {}, body, setHost = true }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, setHost, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, text, json: () => JSON.parse(text) });
      });
      response.on('error', reject);
    });
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    sent.on('error', reject).end(body);
  });
}

/** What an event stream sends until `enough` says so. */
export function firstEvents(
  url: string,
  cookie: string,
  enough: (events: readonly ReturnType<typeof JSON.parse>[]) => boolean,
): Promise<readonly ReturnType<typeof JSON.parse>[]> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers: { cookie }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const events = Array.from(text.matchAll(/^data: (.*)\n\n/gm), ([, json = '']) => JSON.parse(json));
        if (!enough(events)) return;
        response.destroy();
        resolve(events);
      });
    });
    sent.on('error', reject).end();
  });
}

/** What a page does, without a browser. */
export interface PageClient {
  /** Where the page is, with a `/` at its end. */
  readonly base: string;
  readonly origin: string;
  readonly cookie: string;
  readonly adminKey: string | undefined;
  get(path: string, headers?: Ask['headers']): Promise<Answer>;
  post(path: string, body: object, headers?: Ask['headers']): Promise<Answer>;
}

export async function signIn({ url }: Pick<DashboardLink, 'url'>): Promise<PageClient> {
  const { origin, pathname, hash } = new URL(url);
  const base = `${origin}${pathname}`;
  const answer = await post(base, 'api/session', { token: hash.slice('#link='.length) });
  if (answer.status !== 200) throw new Error(`signing in was answered with ${answer.status}: ${answer.text}`);
  const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  const { adminKey } = answer.json();
  const key: Record<string, string> = adminKey === undefined ? {} : { 'x-mcpx-admin-key': adminKey };
  return {
    base,
    origin,
    cookie,
    adminKey,
    get: (path, headers = {}) => request(`${base}${path}`, { headers: { cookie, ...headers } }),
    post: (path, body, headers = {}) => post(base, path, body, { cookie, ...key, ...headers }),
  };
}

/** With all that a page sends along. */
export function post(base: string, path: string, body: object, headers: Ask['headers'] = {}): Promise<Answer> {
  return request(`${base}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(base).origin,
      'x-mcpx-dashboard': '1',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}
