import { asItIs } from '../redaction.js';
import type { MessageChannel } from '../transport/message-channel.js';
import { lostInFlight } from './call-error.js';
import type { ChangeStream } from './change-stream.js';
import { HostRequests } from './host-requests.js';
import { InFlight } from './in-flight.js';
import type { Params } from './json-rpc.js';
import { NotificationDesk } from './notification-desk.js';
import type { OpenSessionOptions } from './open-session-options.js';
import { Peer, type RequestOrigin } from './peer.js';
import { revisionWithBatches } from './protocol.js';

export type PeerPartsOptions = Pick<
  OpenSessionOptions,
  'server' | 'handlers' | 'capabilities' | 'listeners' | 'redact'
> & { readonly onJunk: (text: string) => void };

/** One end of a connection with what the server's own messages lead to, from the first moment on. */
export class PeerParts {
  readonly peer: Peer;
  readonly answers: HostRequests;
  readonly notifications: NotificationDesk;
  readonly inFlight: InFlight;
  /** Present from the end of a handshake on in which the server agreed to send changes that way. */
  changes: ChangeStream | undefined;
  #readsBatches = false;

  constructor(
    channel: MessageChannel,
    { server, handlers, capabilities, listeners, redact, onJunk }: PeerPartsOptions,
  ) {
    this.answers = new HostRequests(handlers, { server, redact: redact ?? asItIs, capabilities });
    this.notifications = new NotificationDesk({ listeners, host: this.answers });
    const hosts = this.answers.underWay;
    this.inFlight = new InFlight({ hosts, onCount: (count) => listeners.onCallsInFlight(count) });
    this.peer = new Peer(channel, {
      redact,
      onJunk,
      readsBatches: () => this.#readsBatches,
      onFlushed: () => this.inFlight.tell(),
      hooks: {
        answer: (request, signal) => this.answers.answerServer(request, signal, this.inFlight.hasHostless),
        onNotification: (method, params, about) => this.#notified(method, params, about),
        onClosed: () => this.#closed(),
      },
    });
  }

  /** To be called when the revision of the protocol is known. */
  agreed(protocolVersion: string): void {
    this.#readsBatches = protocolVersion === revisionWithBatches;
  }

  #notified(method: string, params: Params, about: RequestOrigin | undefined): void {
    const { underWay } = this.answers;
    if (method === 'notifications/tasks/status') underWay.tasks.told(params);
    this.changes?.take(method, params);
    this.notifications.take(method, params, () =>
      about === undefined ? underWay.chooseOwner(this.inFlight.hasHostless) : underWay.ownerAbout(about),
    );
  }

  #closed(): void {
    this.answers.close(lostInFlight());
    this.changes?.close();
    this.notifications.close();
  }
}
