import type { OptionRows } from '@x/internal/options';
import { HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** How something that has no token finds out whether requests are served. */
export interface HealthOptions {
  /**
   * A path for the probe of a load balancer, such as `/healthz`: `GET` and `HEAD` are answered with 200 for as long as
   * requests are served, with 503 from `close()` on, and with nothing else. It needs no token; `allowedHosts` holds for it
   * as for everything. Default: there is none.
   */
  readonly healthPath?: string | undefined;
}

export const healthRows = {
  healthPath: { kind: 'other', check: pathFault },
} as const satisfies OptionRows<HealthOptions>;

/** Whether requests are served here, for those who have no token to find out by. */
export class HealthAnswer {
  readonly #path: string | undefined;

  constructor({ healthPath }: HealthOptions) {
    this.#path = healthPath;
  }

  /** The answer to a probe; `undefined` for any other request. */
  answer(ask: HttpAsk, { isOpen }: { readonly isOpen: boolean }): HttpAnswer | undefined {
    if (this.#path === undefined || new URL(ask.url).pathname !== this.#path) return undefined;
    if (!['GET', 'HEAD'].includes(ask.method)) {
      return refuse(405, 'Only GET and HEAD are answered here', { allow: 'GET, HEAD' });
    }
    return new HttpAnswer(isOpen ? 200 : 503, null, { 'cache-control': 'no-store' });
  }
}

/** What is not written as requests have it would never be asked for. */
function pathFault(path: unknown): string | undefined {
  const base = 'http://localhost';
  if (typeof path === 'string' && URL.canParse(path, base) && new URL(path, base).pathname === path) return undefined;
  return `a path as requests have it, such as "/healthz", with no query, got ${JSON.stringify(path)}`;
}
