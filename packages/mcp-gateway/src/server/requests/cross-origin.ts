import { HttpAnswer } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';

/** The guard has already admitted the origin. */
export function isPreflight(ask: HttpAsk): boolean {
  return ask.method === 'OPTIONS' && ask.header('access-control-request-method') !== null;
}

export function answerPreflight(ask: HttpAsk): HttpAnswer {
  // Tools may define headers `Mcp-Param-…`.
  const wanted = (ask.header('access-control-request-headers') ?? '').match(/\bmcp-param-[\w-]{1,100}/gi) ?? [];
  return new HttpAnswer(204, null, {
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': [ALLOWED_HEADERS, ...wanted.slice(0, 100)].join(', '),
    'access-control-max-age': '600',
  });
}

export function withOrigin(answer: HttpAnswer, ask: HttpAsk): HttpAnswer {
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
