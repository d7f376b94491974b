import type { JsonRpcMessage } from '@x/internal/contracts';

export interface ChannelListeners {
  /** @param about - Id of the request of ours on whose stream it came. Default: the transport does not say. */
  readonly onMessage: (message: JsonRpcMessage, about?: unknown) => void;
  /** Something arrived that is not a message. Never fatal. */
  readonly onJunk: (text: string) => void;
  /** Whether several messages may come as one JSON array. Default: that is junk. */
  readonly readsBatches?: (() => boolean) | undefined;
  /** No further message will come. Called once. */
  readonly onClosed: () => void;
}

/** Carries JSON-RPC messages both ways, in order. Knows nothing of requests, versions or servers. */
interface Channel {
  /** Called once, before the first message is sent. */
  listen(listeners: ChannelListeners): void;
  /** When the last byte came from the other side, by `performance.now()`. Default: with the last message. */
  readonly lastByteAt?: number | undefined;
}

/** A channel whose messages are lines of text. */
export interface LineChannel extends Channel {
  /**
   * Hands over whole messages, each with the end of its line. `closed`: nothing was written. A promise: it was written,
   * and the next should wait until this resolves, since the other side does not keep up.
   */
  sendLines(text: string): 'taken' | 'closed' | Promise<void>;
}

/** A channel that sends each message by itself, such as HTTP. */
export interface PostChannel extends Channel {
  /** Whether the answer to each request comes on a stream of its own, whose end is the request's. */
  readonly hasPerRequestStream: boolean;
  /** Resolves when the other side has the message. Rejects with what the transport failed with. */
  post(message: JsonRpcMessage, options: PostOptions): Promise<void>;
  /** Called when the revision of the protocol is known. */
  agreed(protocolVersion: string): void;
}

export interface PostOptions {
  /** Sent along with the message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ends the message's own stream. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the message's own stream has ended and cannot be resumed. */
  readonly onStreamEnd?: (() => void) | undefined;
}

export type MessageChannel = LineChannel | PostChannel;

export function isLineChannel(channel: MessageChannel): channel is LineChannel {
  return 'sendLines' in channel;
}

/** Nothing was sent: whoever wanted to may try elsewhere. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError';
}
