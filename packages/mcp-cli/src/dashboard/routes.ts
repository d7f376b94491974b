import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Control } from '../control/control.js';
import type { Access } from './access.js';
import { confirmationOf, parseAction, runAction } from './actions.js';
import { streamLines } from './event-stream.js';
import { onlyValue, Refusal, readJson, sendJson } from './http.js';
import type { LiveFeed } from './live-feed.js';
import type {
  ConfigView,
  ConfirmationView,
  ExplanationView,
  PinsView,
  RoleView,
  SessionView,
  ToolDetail,
  ToolsView,
} from './page-messages.js';
import { truncate } from './page-views.js';

/** Header with the admin key of a page. */
const adminHeader = 'x-mcpx-admin-key';
const maxToolsShown = 100;
const maxPinsShown = 50;
const maxQueryLength = 256;
/** For the list; the detail view has the whole text. */
const maxDescriptionLength = 600;
const maxTitleLength = 200;
const maxSignatureLength = 4_000;
const maxDiffLength = 50_000;

export interface RouteParts {
  readonly control: Control;
  readonly access: Access;
  readonly feed: LiveFeed;
  readonly configReport: () => Promise<ConfigView>;
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
  readonly needs: 'none' | 'read' | 'admin';
  readonly handle: (call: RouteCall, parts: RouteParts) => Promise<void>;
}

const routes: Readonly<Record<string, Route>> = {
  'POST api/session': { needs: 'none', handle: openSession },
  'GET api/events': { needs: 'read', handle: ({ response, signal }, { feed }) => feed.serve(response, signal) },
  'GET api/logs': { needs: 'read', handle: streamLogs },
  'GET api/tools': { needs: 'read', handle: findTools },
  'GET api/tool': { needs: 'read', handle: describeTool },
  'GET api/roles': { needs: 'read', handle: listRoles },
  'GET api/explain': { needs: 'read', handle: explain },
  'GET api/pins': { needs: 'read', handle: listPins },
  'GET api/config': {
    needs: 'read',
    handle: async ({ response }, { configReport }) => sendJson(response, await configReport()),
  },
  'POST api/admin/confirmations': { needs: 'admin', handle: createConfirmation },
  'POST api/admin/actions': { needs: 'admin', handle: runConfirmedAction },
};

/** @throws {Refusal} The route is unknown, or the request lacks the permission. */
export async function handleRoute(path: string, call: RouteCall, parts: RouteParts): Promise<void> {
  const key = `${call.request.method} ${path}`;
  const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
  if (!route) throw new Refusal(404, 'not-found', 'Not found');
  const { access, cookie } = parts;
  const readKey = cookieOf(call.request, cookie.name);
  if (route.needs !== 'none' && !access.mayRead(readKey)) {
    throw new Refusal(401, 'signed-out', 'Run "mcpx dashboard" for a new link');
  }
  if (route.needs === 'admin' && !access.mayAct(readKey, onlyValue(call.request, adminHeader))) {
    throw new Refusal(
      403,
      'read-only',
      'This page is read-only. Run "mcpx dashboard" for a link that can make changes',
    );
  }
  await route.handle(call, parts);
}

async function openSession({ request, response }: RouteCall, { access, cookie }: RouteParts): Promise<void> {
  const { token } = await readJson(request);
  const session = typeof token === 'string' ? access.open(token, cookieOf(request, cookie.name)) : undefined;
  if (!session) {
    throw new Refusal(401, 'used-link', 'This link was used or has expired. Run "mcpx dashboard" for a new one');
  }
  const attributes = [`Path=${cookie.path}`, 'HttpOnly', 'SameSite=Strict'];
  response.setHeader('set-cookie', [`${cookie.name}=${session.readKey}`, ...attributes].join('; '));
  sendJson(response, (session.adminKey === undefined ? {} : { adminKey: session.adminKey }) satisfies SessionView);
}

async function streamLogs({ response, query, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const server = required(query, 'server');
  const { servers } = await control.status({ signal });
  if (!servers.some(({ name }) => name === server)) {
    throw new Refusal(404, 'unknown-server', `No server is named "${server}"`);
  }
  await streamLines(response, control.logs({ server, follow: true, signal }), signal);
}

async function findTools({ response, query, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const server = query.get('server') ?? '';
  const text = (query.get('query') ?? '').trim().slice(0, maxQueryLength);
  const request = {
    query: text === '' ? '*' : text,
    useRegex: query.get('regex') === '1' && text !== '',
    limit: maxToolsShown,
    ...(server !== '' && { server }),
  };
  const { total, tools } = await control.search({ request, signal });
  sendJson(response, {
    total,
    tools: tools.map(({ name, server: owner, tool, title, description, state }) => ({
      name,
      server: owner,
      tool,
      title: title === undefined ? undefined : truncate(title, maxTitleLength),
      description: description === undefined ? undefined : truncate(description, maxDescriptionLength),
      state,
    })),
  } satisfies ToolsView);
}

async function describeTool({ response, query, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const { tool: view, signature } = await control.describe({ tool: required(query, 'name'), signal });
  const { name, server, tool, title, description, state, inputSchema } = view;
  const schema = JSON.stringify(inputSchema, null, 2);
  sendJson(response, {
    name,
    server,
    tool,
    title,
    description,
    state,
    signature: truncate(signature, maxSignatureLength),
    inputSchema: schema,
  } satisfies ToolDetail);
}

async function listRoles({ response, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const roles: readonly RoleView[] = (await control.roles({ signal })).map(({ role, tools }) => ({ role, tools }));
  sendJson(response, { roles });
}

async function explain({ response, query, signal }: RouteCall, { control }: RouteParts): Promise<void> {
  const { decision, message } = await control.explain({
    role: required(query, 'role'),
    tool: required(query, 'tool'),
    signal,
  });
  sendJson(response, { decision, message } satisfies ExplanationView);
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
  const action = parseAction(await readJson(request));
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
