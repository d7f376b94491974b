import type { IncomingMessage, ServerResponse } from 'node:http';

/** `starting` until every server has started or failed. */
type Phase = 'starting' | 'ready' | 'draining';

export interface ProbePaths {
  /** 200 while the process responds. */
  readonly healthPath: string | undefined;
  /** 200 while requests should be sent here, else 503. */
  readonly readyPath: string | undefined;
}

/**
 * Responds to probes of schedulers and load balancers. They have no token, and their `Host` is an address or absent, so
 * both are accepted; the response is one word that any stranger may know.
 */
export class Probes {
  readonly #paths: ProbePaths;
  #phase: Phase = 'starting';

  constructor(paths: ProbePaths) {
    this.#paths = paths;
  }

  /** `draining` is final. */
  enter(phase: Exclude<Phase, 'starting'>): void {
    if (this.#phase !== 'draining') this.#phase = phase;
  }

  /** @returns False for a request that is no probe. */
  answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): boolean {
    const [path] = url.split('?', 1);
    const isReadyPath = path === this.#paths.readyPath;
    if (!isReadyPath && path !== this.#paths.healthPath) return false;
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const status = isReadyPath && this.#phase !== 'ready' ? 503 : 200;
    const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
    response.writeHead(status, headers).end(isReadyPath ? `${this.#phase}\n` : 'alive\n');
    return true;
  }
}
