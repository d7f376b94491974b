import { noRedaction } from '../redaction.js';
import type { MessageChannel } from '../transport/message-channel.js';
import type { ChangeStream } from './notifications/change-stream.js';
import { NotificationRouter } from './notifications/notification-router.js';
import type { ConnectionObserver } from './peer/connection-observer.js';
import { InFlight } from './peer/in-flight.js';
import type { Params } from './peer/json-rpc.js';
import { Peer, type RequestOrigin } from './peer/peer.js';
import { lostInFlight } from './peer/request-error.js';
import { revisionWithBatches } from './protocol.js';
import type { ClientHandlers } from './server-requests/client-handlers.js';
import { ServerRequestRouter } from './server-requests/server-request-router.js';
import type { SessionListeners } from './session-listeners.js';

export interface OpenSessionOptions {
  readonly server: string;
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  /** Era of the last session. Saves `auto` a round trip. */
  readonly lastEra?: 'legacy' | 'modern' | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly signal: AbortSignal;
  readonly listeners: SessionListeners;
  readonly handlers: ClientHandlers;
  /** Announced beside the capabilities of `handlers`. Default: none. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Default: no redaction. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly validateOutput: boolean;
  readonly observer?: ConnectionObserver | undefined;
}

type ConnectionServicesOptions = Pick<
  OpenSessionOptions,
  'server' | 'handlers' | 'capabilities' | 'listeners' | 'redact' | 'observer'
> & { readonly onJunk: (text: string) => void };

/** The peer of one connection with the services for the server's own messages. Exists before the handshake. */
export class ConnectionServices {
  readonly peer: Peer;
  readonly serverRequests: ServerRequestRouter;
  readonly notifications: NotificationRouter;
  readonly inFlight: InFlight;
  changes: ChangeStream | undefined;
  #readsBatches = false;

  constructor(
    channel: MessageChannel,
    { server, handlers, capabilities, listeners, redact, observer, onJunk }: ConnectionServicesOptions,
  ) {
    this.serverRequests = new ServerRequestRouter(handlers, { server, redact: redact ?? noRedaction, capabilities });
    this.notifications = new NotificationRouter({ listeners, serverRequests: this.serverRequests });
    const callers = this.serverRequests.callers;
    this.inFlight = new InFlight({ callers, onCount: (count) => listeners.onCallsInFlight(count) });
    this.peer = new Peer(channel, {
      redact,
      observer,
      onJunk,
      readsBatches: () => this.#readsBatches,
      onFlushed: () => this.inFlight.report(),
      hooks: {
        answer: (request, signal) => this.serverRequests.answerRequest(request, signal, this.inFlight.hasAnonymous),
        onNotification: (method, params, about) => this.#onNotification(method, params, about),
        onClosed: () => this.#closed(),
      },
    });
  }

  agreed(protocolVersion: string): void {
    this.#readsBatches = protocolVersion === revisionWithBatches;
  }

  #onNotification(method: string, params: Params, about: RequestOrigin | undefined): void {
    const { callers } = this.serverRequests;
    if (method === 'notifications/tasks/status') callers.tasks.onStatus(params);
    this.changes?.onNotification(method, params);
    this.notifications.dispatch(method, params, () =>
      about === undefined ? callers.chooseOwner(this.inFlight.hasAnonymous) : callers.ownerAbout(about),
    );
  }

  #closed(): void {
    this.serverRequests.close(lostInFlight());
    this.changes?.close();
    this.notifications.close();
  }
}
