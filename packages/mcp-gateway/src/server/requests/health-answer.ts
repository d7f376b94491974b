import type { OptionRows } from '@x/internal/options';
import { HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** Options of the health path. */
export interface HealthOptions {
  /**
   * Path for a load balancer's probe, such as `/healthz`. `GET` and `HEAD` get 200 without a body, and 503 after
   * `close()`. Needs no token; `allowedHosts` applies. Default: none.
   */
  readonly healthPath?: string | undefined;
}

export const healthRows = {
  healthPath: { kind: 'other', check: pathFault },
} as const satisfies OptionRows<HealthOptions>;

export class HealthAnswer {
  readonly #path: string | undefined;

  constructor({ healthPath }: HealthOptions) {
    this.#path = healthPath;
  }

  answer(ask: HttpAsk, { isOpen }: { readonly isOpen: boolean }): HttpAnswer | undefined {
    if (this.#path === undefined || new URL(ask.url).pathname !== this.#path) return undefined;
    if (!['GET', 'HEAD'].includes(ask.method)) {
      return refuse(405, 'Only GET and HEAD are answered here', { allow: 'GET, HEAD' });
    }
    return new HttpAnswer(isOpen ? 200 : 503, null, { 'cache-control': 'no-store' });
  }
}

/** URL parsing normalizes paths, so one in another spelling would never match. */
function pathFault(path: unknown): string | undefined {
  const base = 'http://localhost';
  if (typeof path === 'string' && URL.canParse(path, base) && new URL(path, base).pathname === path) return undefined;
  return `a path as requests have it, such as "/healthz", with no query, got ${JSON.stringify(path)}`;
}
