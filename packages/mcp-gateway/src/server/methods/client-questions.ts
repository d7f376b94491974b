import { roleOf } from '@x/internal/views';
import { ClientBridge } from '../../gateway/bridging/client-bridge.js';
import { HELD_CALLS, HeldCalls } from '../../gateway/bridging/held-calls.js';
import type { ClientServer, Hold } from './client-server.js';

/** Where the calls of a client come from. */
export interface QuestionScope {
  /** The same for all requests of one caller. */
  readonly owner: string;
  readonly isAnonymous?: boolean;
  readonly hasOneCaller?: boolean;
  readonly hold?: Hold | undefined;
}

/** The calls of one handler or connection whose clients are asked. */
export class ClientQuestions {
  readonly #held = new HeldCalls(HELD_CALLS);

  bridgeFor(
    server: ClientServer,
    view: object,
    { owner, isAnonymous = false, hasOneCaller = false, hold, lasts }: QuestionScope & { readonly lasts: boolean },
  ): ClientBridge {
    return new ClientBridge({
      held: this.#held,
      timeoutMs: HELD_CALLS.timeoutMs,
      fallback: undefined,
      connection: server,
      lasts,
      owner,
      isAnonymous,
      hasOneCaller,
      hold,
      isOnlyClient: () => false,
      capabilities: () => server.clientCapabilities,
      clientInfo: () => server.clientInfo,
      audience: () => ({ principal: undefined, scope: JSON.stringify([roleOf(view)]) }),
      onPage: () => undefined,
    });
  }

  isContinuedBy(message: object): boolean {
    return this.#held.isContinuedBy(message);
  }

  close(): void {
    this.#held.close();
  }
}
