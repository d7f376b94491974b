import type { OptionRows, Resolved } from '@x/internal/options';
import { LOOPBACK_HOSTS } from '../../loopback.js';
import { type HttpRequest, HttpResponse, refuse } from '../http-messages.js';

/** Options of accepted hosts and origins. */
export interface GuardOptions {
  /**
   * Accepted `Host` headers: a name with any port, or a name and a port. Default: `localhost`, `127.0.0.1` and `[::1]`.
   * Prevents DNS rebinding, by which a page of another site points its own name to this machine.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Origins of web pages that may use the server, such as `https://app.example.com`. Default: none. Programs other than
   * browsers send no `Origin`.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:\d{1,5})?$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/;

export const guardRows = {
  allowedHosts: {
    kind: 'other',
    default: LOOPBACK_HOSTS,
    check: (given: unknown) => listFault(given, HOST, 'names as the Host header has them'),
  },
  allowedOrigins: {
    kind: 'other',
    default: [],
    check: (given: unknown) => listFault(given, ORIGIN, 'origins such as https://app.example.com, with no path'),
  },
} as const satisfies OptionRows<GuardOptions>;

export class RequestGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ allowedHosts, allowedOrigins }: Resolved<GuardOptions, typeof guardRows>) {
    this.#hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  refusal(ask: HttpRequest): HttpResponse | undefined {
    // Without the header, as with HTTP/2, the URL contains its replacement.
    const host = (ask.header('host') ?? new URL(ask.url).host).toLowerCase();
    const name = HOST.exec(host)?.[1];
    if (name === undefined || !(this.#hosts.has(name) || this.#hosts.has(host))) {
      return refuse(403, 'This host name is not allowed; add it to allowedHosts (mcpx serve --allowed-host)');
    }
    const origin = ask.header('origin');
    if (origin !== null && !this.#origins.has(origin.toLowerCase())) {
      return refuse(
        403,
        'Web pages of this origin are not allowed; add it to allowedOrigins (mcpx serve --allowed-origin)',
      );
    }
    return undefined;
  }
}

function listFault(given: unknown, form: RegExp, expected: string): string | undefined {
  if (!Array.isArray(given)) return `a list of ${expected}`;
  const wrong = given.findIndex((each) => typeof each !== 'string' || !form.test(each.toLowerCase()));
  return wrong === -1 ? undefined : `${expected}, got ${JSON.stringify(given[wrong])}`;
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';

/** True for a CORS preflight. The guard has already admitted the origin. */
export function isPreflight(ask: HttpRequest): boolean {
  return ask.method === 'OPTIONS' && ask.header('access-control-request-method') !== null;
}

export function preflightResponse(ask: HttpRequest): HttpResponse {
  // Tools may define headers `Mcp-Param-…`.
  const wanted = (ask.header('access-control-request-headers') ?? '').match(/\bmcp-param-[\w-]{1,100}/gi) ?? [];
  return new HttpResponse(204, null, {
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': [ALLOWED_HEADERS, ...wanted.slice(0, 100)].join(', '),
    'access-control-max-age': '600',
  });
}

export function withOrigin(answer: HttpResponse, ask: HttpRequest): HttpResponse {
  const origin = ask.header('origin');
  if (origin === null) return answer;
  const { vary } = answer.headers;
  const headers = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: vary === undefined ? 'Origin' : `${vary}, Origin`,
  };
  const opened = answer.with({ headers });
  opened.watch = answer.watch;
  return opened;
}
