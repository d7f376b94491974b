import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  type MessageExtraInfo,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import { narrowed } from './listen-request.js';

/** What is learned of a connection's streams of changes. */
export interface StreamWatcher {
  /** Which of the resources that a stream is to be opened for can be had. */
  readonly fitting: (uris: readonly unknown[]) => readonly string[];
  readonly onOpened: (stream: string, uris: readonly string[]) => void;
  readonly onEnded: (stream: string) => void;
}

/**
 * The same connection. The protocol library keeps the streams of changes that clients of the 2026-07-28 revision open on
 * it to itself, but what passes tells of them: what was agreed on goes to the client, and what ends a stream comes from it.
 */
export class WatchedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #transport: Transport;
  readonly #watcher: StreamWatcher;

  constructor(transport: Transport, watcher: StreamWatcher) {
    this.#transport = transport;
    this.#watcher = watcher;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  start(): Promise<void> {
    this.#transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      this.onmessage?.(
        narrowed(message, (uris) => this.#watcher.fitting(uris)),
        extra,
      );
      this.#watchIncoming(message);
    };
    this.#transport.onclose = () => this.onclose?.();
    this.#transport.onerror = (error) => this.onerror?.(error);
    return this.#transport.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#watchOutgoing(message);
    return this.#transport.send(message, options);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  #watchOutgoing(message: JSONRPCMessage): void {
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/subscriptions/acknowledged') return;
    const { notifications, _meta: meta } = message.params ?? {};
    const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
    if (!Array.isArray(uris)) return;
    this.#watcher.onOpened(
      JSON.stringify(meta?.[SUBSCRIPTION_ID_META_KEY]),
      uris.filter((uri) => typeof uri === 'string'),
    );
  }

  #watchIncoming(message: JSONRPCMessage): void {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#watcher.onEnded(JSON.stringify(message.params?.requestId));
    }
  }
}
