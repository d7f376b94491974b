import type { JsonRpcMessage } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';

export interface ChannelListeners {
  /** @param about - Id of our request on whose stream it came. Default: unknown. */
  readonly onMessage: (message: JsonRpcMessage, about?: unknown) => void;
  /** For input that is no message. Never fatal. */
  readonly onJunk: (text: string) => void;
  /** Accepts JSON arrays of messages. Default: they are junk. */
  readonly readsBatches?: (() => boolean) | undefined;
  /** The server has ended the stream of our request, before or after its response. */
  readonly onStreamEnd?: ((requestId: unknown) => void) | undefined;
  /** A stream is about to be resumed. Returns our request on whose stream the event came. */
  readonly onResume?: ((lastEventId: string) => number | undefined) | undefined;
  /** Called once, after the last message. */
  readonly onClosed: () => void;
}

/** Carries JSON-RPC messages both ways, in order. Independent of requests, versions and servers. */
interface Channel {
  listen(listeners: ChannelListeners): void;
  /** By `performance.now()`. Default: time of the last message. */
  readonly lastByteAt?: number | undefined;
}

/** A channel whose messages are lines of text. */
export interface LineChannel extends Channel {
  /**
   * Writes complete messages with their line ends. `closed`: nothing was written. A promise: written, but the peer is
   * slow; wait for it before the next message.
   */
  sendLines(text: string): 'accepted' | 'closed' | Promise<void>;
}

/** Sends each message separately, such as over HTTP. */
export interface PostChannel extends Channel {
  /** Each response arrives on its own stream, whose end ends the request. */
  readonly hasPerRequestStream: boolean;
  readonly sessionId?: string | undefined;
  /** Resolves when the peer has the message. Rejects with the error of the transport. */
  post(message: JsonRpcMessage, options: PostOptions): Promise<void>;
  agreed(protocolVersion: string): void;
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The message's own stream has ended and cannot be resumed. */
  readonly onStreamEnd?: (() => void) | undefined;
  /** Called with the id of each event of the message's own stream, from which the stream can be resumed. */
  readonly onEventId?: ((id: string) => void) | undefined;
}

export type MessageChannel = LineChannel | PostChannel;

export function isLineChannel(channel: MessageChannel): channel is LineChannel {
  return 'sendLines' in channel;
}

/** Nothing was sent; the caller may retry elsewhere. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError';
}

/** An exception of the listener has no further effect. */
export function deliver<Value>(listener: (value: Value) => void, value: Value): void {
  callListener('A listener of messages', () => listener(value));
}
