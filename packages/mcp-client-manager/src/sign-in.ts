import { ManagerError } from './errors.js';
import type { ServerPolicy } from './resolve-spec.js';
import type { AuthPlug } from './session/auth-plug.js';

/** Signs the user in to one managed server, as its spec and the manager's `auth` say. */
export class SignIn {
  readonly #plug: AuthPlug | undefined;
  readonly #ended = new AbortController();

  constructor(plug: AuthPlug | undefined) {
    this.#plug = plug;
  }

  /** See `ManagedServer.authorize` for the errors. */
  async run({ name, target }: ServerPolicy, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (target.type !== 'http') {
      const message = `Server "${name}" cannot be signed in to: it is not reached by URL.`;
      throw new ManagerError('unsupported', message, { server: name });
    }
    const { url, headers, auth } = target;
    const scopes = auth?.scopes ?? [];
    const { authorize } = await import('./auth/authorize.js'); // see `supervisor/session-code.ts`
    const source = await this.#plug?.({ name, url, provider: auth?.provider, scopes });
    const signals = signal ? [signal, this.#ended.signal] : [this.#ended.signal];
    await authorize({ server: name, url, headers, scopes, source, signal: AbortSignal.any(signals) });
  }

  /** Ends a sign-in that is under way: its server is not managed any more. */
  close(server: string): void {
    const message = `Server "${server}" is not managed any more, so nobody can sign in to it`;
    this.#ended.abort(new ManagerError('closed', message, { server }));
  }
}
