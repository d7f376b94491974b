import { ProtocolError } from '@modelcontextprotocol/server';
import { messageOf } from '../errors.js';
import type { RolePolicy } from '../roles/compile-role.js';
import type { GatewayCore, Routed } from './gateway-core.js';
import { resourceNotFound } from './resource-not-found.js';
import { reasonOf } from './rpc-error.js';

interface HeldResource extends Routed {
  /** As the client calls it. */
  readonly uri: string;
  readonly held: Promise<Disposable>;
}

/** The resources whose changes one client wants to be told of. */
export class HeldResources {
  readonly #core: GatewayCore;
  /** By who wants it: a stream of the client's and the URI. */
  readonly #resources = new Map<string, HeldResource>();
  readonly #over = new AbortController();

  constructor(core: GatewayCore) {
    this.#core = core;
  }

  /**
   * @param id - Another one for each wish; a second time for the same one joins the first.
   * @throws {ProtocolError} -32002 if nobody has it or it may not be used, or what its server has refused it with.
   */
  async hold(id: string, uri: string, { policy, signal }: { policy: RolePolicy; signal: AbortSignal }): Promise<void> {
    const found = await this.#core.findResource(uri, policy);
    if (found === undefined) throw resourceNotFound(uri);
    if (this.#over.signal.aborted) return;
    const known = this.#resources.get(id);
    if (known !== undefined) {
      await known.held;
      return;
    }
    const held = this.#core.subscriptions.hold(found.upstream, found.key, signal, this.#over.signal);
    this.#resources.set(id, { ...found, uri, held });
    try {
      await held;
    } catch (error) {
      if (this.#resources.get(id)?.held === held) this.#resources.delete(id);
      throw error;
    }
  }

  /** What a stream wants. Of what its client may not have, or its server refuses, it never hears. */
  holdAll(stream: string, uris: readonly string[], policy: RolePolicy): void {
    for (const uri of uris) {
      this.hold(`${stream}\n${uri}`, uri, { policy, signal: this.#over.signal }).catch((cause) => {
        if (this.#over.signal.aborted || cause instanceof ProtocolError) return;
        const message = `A client is not told of changes of ${uri}: ${messageOf(cause)}`;
        const reason = reasonOf(cause);
        this.#core.policy.onProblem({ code: 'subscription-failed', server: '', reason, message, cause });
      });
    }
  }

  release(id: string): void {
    const resource = this.#resources.get(id);
    this.#resources.delete(id);
    resource?.held.then(
      (held) => held[Symbol.dispose](),
      () => undefined, // told to whoever waited for it
    );
  }

  releaseAll(stream: string): void {
    for (const id of this.#resources.keys()) if (id.startsWith(`${stream}\n`)) this.release(id);
  }

  end(): void {
    this.#over.abort(new Error('The connection is over'));
    for (const id of this.#resources.keys()) this.release(id);
  }

  /** What was wanted that a change is about, under the client's names. */
  wanted(server: string, uri: string): readonly string[] {
    const concerned = Array.from(this.#resources.values()).filter(
      ({ upstream, key }) => upstream.name === server && isPartOf(uri, key),
    );
    return [...new Set(concerned.map((resource) => resource.uri))];
  }
}

/** Servers may tell of a part of what was subscribed to. */
function isPartOf(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`);
}
