import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Control } from '../control/control.js';
import type { Access } from './access.js';
import { confirmationOf, parseAction, runAction } from './actions.js';
import { pageMethod, runMethod } from './control-route.js';
import { streamLines } from './event-stream.js';
import { onlyValue, Refusal, readJson, sendJson } from './http.js';
import type { LiveFeed } from './live-feed.js';
import type {
  ConfigView,
  ConfirmationView,
  PageKey,
  PinsView,
  ServerConfigView,
  SessionView,
} from './page-messages.js';
import type { PageQuestions } from './page-questions.js';
import { truncate } from './page-views.js';

/** Header with the admin key of a page. */
const adminHeader = 'x-mcpx-admin-key';
const maxPinsShown = 50;
const maxDiffLength = 50_000;
const maxActionBytes = 256 * 1_024;
const maxAnswerBytes = 1_024 * 1_024;

export interface RouteParts {
  readonly control: Control;
  readonly access: Access;
  readonly feed: LiveFeed;
  readonly questions: PageQuestions;
  readonly configReport: () => Promise<ConfigView>;
  readonly serverConfig: (server: string) => Promise<ServerConfigView>;
  readonly cookie: { readonly name: string; readonly path: string };
}

interface RouteCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

interface Route {
  /** `none`: the route authenticates the request itself. */
  readonly needs: 'none' | PageKey;
  readonly handle: (call: RouteCall, parts: RouteParts) => Promise<void>;
}

/** What no control method is: the session, streams for many readers, reports of the page, answers and confirmations. */
const routes: Readonly<Record<string, Route>> = {
  'POST api/session': { needs: 'none', handle: openSession },
  'GET api/events': { needs: 'look', handle: ({ response, signal }, { feed }) => feed.serve(response, signal) },
  'GET api/logs': { needs: 'look', handle: streamLogs },
  'GET api/pins': { needs: 'look', handle: listPins },
  'GET api/config': {
    needs: 'look',
    handle: async ({ response }, { configReport }) => sendJson(response, await configReport()),
  },
  'POST api/answers': {
    needs: 'call',
    handle: async ({ request, response }, { questions }) =>
      sendJson(response, { isTaken: questions.answer(await readJson(request, maxAnswerBytes)) }),
  },
  'GET api/server-config': {
    needs: 'look',
    handle: async ({ response, query }, { serverConfig }) =>
      sendJson(response, await serverConfig(required(query, 'server'))),
  },
  'POST api/admin/confirmations': { needs: 'operate', handle: createConfirmation },
  'POST api/admin/actions': { needs: 'operate', handle: runConfirmedAction },
};

const methodPrefix = 'POST api/control/';

/** @throws {Refusal} The route is unknown, or the request lacks the permission. */
export async function handleRoute(path: string, call: RouteCall, parts: RouteParts): Promise<void> {
  const key = `${call.request.method} ${path}`;
  if (key.startsWith(methodPrefix)) return handleMethod(key.slice(methodPrefix.length), call, parts);
  const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
  if (!route) throw new Refusal(404, 'not-found', 'Not found');
  if (route.needs !== 'none') requireKey(route.needs, call, parts);
  await route.handle(call, parts);
}

/** Requests of the table of control methods, in `api/control/NAME`. */
async function handleMethod(name: string, call: RouteCall, parts: RouteParts): Promise<void> {
  const method = pageMethod(name);
  if (!method) throw new Refusal(404, 'not-found', 'Not found');
  requireKey(method.page, call, parts);
  await runMethod(name, method, call, parts);
}

function requireKey(needed: PageKey, { request }: RouteCall, { access, cookie }: RouteParts): void {
  const readKey = cookieOf(request, cookie.name);
  const adminKey = onlyValue(request, adminHeader);
  if (!access.may('look', { readKey })) throw new Refusal(401, 'signed-out', 'Run "mcpx dashboard" for a new link');
  if (access.may(needed, { readKey, adminKey })) return;
  if (access.may('operate', { readKey, adminKey })) {
    throw new Refusal(403, 'no-calls', 'This page cannot call tools. Run "mcpx dashboard" for a link that can');
  }
  throw new Refusal(403, 'read-only', 'This page is read-only. Run "mcpx dashboard" for a link that can make changes');
}

async function openSession({ request, response }: RouteCall, { access, cookie }: RouteParts): Promise<void> {
  const { token } = await readJson(request);
  const session = typeof token === 'string' ? access.open(token, cookieOf(request, cookie.name)) : undefined;
  if (!session) {
    throw new Refusal(401, 'used-link', 'This link was used or has expired. Run "mcpx dashboard" for a new one');
  }
  const attributes = [`Path=${cookie.path}`, 'HttpOnly', 'SameSite=Strict'];
  response.setHeader('set-cookie', [`${cookie.name}=${session.readKey}`, ...attributes].join('; '));
  const { may, adminKey } = session;
  sendJson(response, { may, ...(adminKey !== undefined && { adminKey }) } satisfies SessionView);
}

async function streamLogs({ response, query, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const server = required(query, 'server');
  const { servers } = await control.status({ signal });
  if (!servers.some(({ name }) => name === server)) {
    throw new Refusal(404, 'unknown-server', `No server is named "${server}"`);
  }
  await streamLines(response, control.logs({ server, follow: true, signal }), signal);
}

async function listPins({ response, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const { trust, tools } = await control.pins({ signal });
  const waiting = tools.filter((tool) => tool.trust !== 'trusted');
  const pins = await Promise.all(
    waiting.slice(0, maxPinsShown).map(async ({ server, tool, trust: state, digest, findings }) => {
      const diff = await control.pinDiff({ server, tool, signal });
      return {
        server,
        tool,
        trust: state,
        digest,
        findings: findings.map(({ code, severity }) => `${code} (${severity})`),
        diff: truncate(diff, maxDiffLength),
        isCut: diff.length > maxDiffLength,
      };
    }),
  );
  const trusted = tools.length - waiting.length;
  sendJson(response, { mode: trust.default, trusted, total: waiting.length, pins } satisfies PinsView);
}

async function createConfirmation({ request, response }: RouteCall, { control, access }: RouteParts): Promise<void> {
  const action = parseAction(await readJson(request, maxActionBytes));
  const question = await confirmationOf(action, control);
  const id = access.newConfirmation(onlyValue(request, adminHeader) ?? '', action);
  sendJson(response, { id, ...question } satisfies ConfirmationView);
}

async function runConfirmedAction({ request, response }: RouteCall, { control, access }: RouteParts): Promise<void> {
  const { confirmation } = await readJson(request);
  const adminKey = onlyValue(request, adminHeader) ?? '';
  const action = typeof confirmation === 'string' ? access.confirmed(adminKey, confirmation) : undefined;
  if (!action) throw new Refusal(409, 'not-confirmed', 'This was not confirmed in time. Request it again');
  sendJson(response, await runAction(action, control));
}

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value !== null && value !== '' && value.length <= 1_000) return value;
  throw new Refusal(400, 'invalid-request', `${name} is missing or too long`);
}

function cookieOf(request: IncomingMessage, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
