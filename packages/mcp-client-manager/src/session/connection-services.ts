import { asItIs } from '../redaction.js';
import type { MessageChannel } from '../transport/message-channel.js';
import type { ChangeStream } from './notifications/change-stream.js';
import { NotificationRouter } from './notifications/notification-router.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { InFlight } from './peer/in-flight.js';
import type { Params } from './peer/json-rpc.js';
import { Peer, type RequestOrigin } from './peer/peer.js';
import { lostInFlight } from './peer/request-error.js';
import { revisionWithBatches } from './protocol.js';
import { ServerRequestRouter } from './server-requests/server-request-router.js';

export type ConnectionServicesOptions = Pick<
  OpenSessionOptions,
  'server' | 'handlers' | 'capabilities' | 'listeners' | 'redact'
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
    { server, handlers, capabilities, listeners, redact, onJunk }: ConnectionServicesOptions,
  ) {
    this.serverRequests = new ServerRequestRouter(handlers, { server, redact: redact ?? asItIs, capabilities });
    this.notifications = new NotificationRouter({ listeners, serverRequests: this.serverRequests });
    const callers = this.serverRequests.callers;
    this.inFlight = new InFlight({ callers, onCount: (count) => listeners.onCallsInFlight(count) });
    this.peer = new Peer(channel, {
      redact,
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
