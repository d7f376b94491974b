import { LOOPBACK_HOSTS } from '../../loopback.js';
import { type HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** Which hosts and pages requests may come to and from. */
export interface GuardOptions {
  /**
   * What the `Host` header may say: a name, with any port, or a name and a port. Default: the names of this machine's
   * loopback, `localhost`, `127.0.0.1` and `[::1]`. Name the ones that the server is reached under: a page of another site
   * can have its own name point to this machine, and then only this header tells the two apart.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Web pages that may use the server, as their origin: `https://app.example.com`. Default: none. Programs other than
   * browsers send no `Origin` and are not held up by this.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:\d{1,5})?$/;

/** Lets through what comes to an expected name, from no web page or from an expected one. */
export class RequestGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ allowedHosts = LOOPBACK_HOSTS, allowedOrigins = [] }: GuardOptions) {
    this.#hosts = new Set(allowedHosts.map(checkHost));
    this.#origins = new Set(allowedOrigins.map(checkOrigin));
  }

  /** The answer to a request that must not pass. */
  refusal(ask: HttpAsk): HttpAnswer | undefined {
    // Where the header is not passed on, as with HTTP/2, the URL was made of what stood in its place.
    const host = (ask.header('host') ?? new URL(ask.url).host).toLowerCase();
    const name = HOST.exec(host)?.[1];
    if (name === undefined || !(this.#hosts.has(name) || this.#hosts.has(host))) {
      return refuse(403, 'This host name is not served here; it has to be one of allowedHosts');
    }
    const origin = ask.header('origin');
    if (origin !== null && !this.#origins.has(origin.toLowerCase())) {
      return refuse(403, 'Web pages of this origin are not served here; it has to be one of allowedOrigins');
    }
    return undefined;
  }
}

function checkHost(host: unknown): string {
  const name = typeof host === 'string' ? host.toLowerCase() : '';
  if (!HOST.test(name)) {
    throw new TypeError(`allowedHosts must be names as the Host header has them, got ${JSON.stringify(host)}`);
  }
  return name;
}

function checkOrigin(origin: unknown): string {
  const text = typeof origin === 'string' ? origin.toLowerCase() : '';
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/.test(text)) {
    throw new TypeError(
      `allowedOrigins must be origins such as https://app.example.com, with no path, got ${JSON.stringify(origin)}`,
    );
  }
  return text;
}
