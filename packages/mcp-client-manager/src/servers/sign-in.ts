import { eitherSignal } from '@x/internal/async';
import type { AuthPlug, AuthTarget } from '../auth/auth-plug.js';
import { authTarget, requestAuthSource } from '../auth/auth-plug.js';
import type { AuthSource } from '../auth/auth-source.js';
import { ManagerError } from '../errors.js';
import { prepareLaunch, requireSetUp } from '../launch/prepare-launch.js';
import type { ManagerPolicy } from '../options.js';
import type { Redact } from '../redaction.js';
import type { ServerPolicy } from '../resolve-spec.js';

export class SignIn {
  readonly #plug: AuthPlug | undefined;
  readonly #redact: Redact;
  readonly #policy: Pick<ManagerPolicy, 'redact' | 'resolveSecret' | 'confirmLaunch'>;
  readonly #ended = new AbortController();

  constructor(policy: Pick<ManagerPolicy, 'auth' | 'redact' | 'resolveSecret' | 'confirmLaunch'>) {
    this.#plug = policy.auth;
    this.#redact = policy.redact;
    this.#policy = policy;
  }

  async run(policy: ServerPolicy, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { name, target } = policy;
    requireSetUp(policy);
    if (target.type !== 'http') {
      const message = `Server "${name}" cannot be signed in to: it is not reached by URL.`;
      throw new ManagerError('unsupported', message, { server: name });
    }
    using either = eitherSignal(this.#ended.signal, ...(signal ? [signal] : []));
    const ended = either.signal;
    const { url, headers } = await prepareLaunch(name, target, { ...this.#policy, signal: ended });
    const { authorize } = await import('../auth/authorize.js');
    const server = authTarget(name, target);
    const source = await this.#sourceFor(server, ended);
    await authorize({ server: name, url, headers, scopes: server.scopes, source, signal: ended });
  }

  async #sourceFor(target: AuthTarget, signal: AbortSignal): Promise<AuthSource | undefined> {
    try {
      return await requestAuthSource(this.#plug, target, { signal, redact: this.#redact });
    } catch (error) {
      signal.throwIfAborted();
      throw new ManagerError('auth-required', (error as Error).message, { server: target.name });
    }
  }

  close(server: string): void {
    const message = `Server "${server}" is not managed any more, and its sign-in has ended`;
    this.#ended.abort(new ManagerError('closed', message, { server }));
  }
}
