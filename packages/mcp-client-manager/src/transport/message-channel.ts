import type { JsonRpcMessage } from '@x/internal/contracts';

export interface ChannelListeners {
  readonly onMessage: (message: JsonRpcMessage) => void;
  /** Something arrived that is not a message. Never fatal. */
  readonly onJunk: (text: string) => void;
  /** Whether several messages may come as one JSON array. Default: that is junk. */
  readonly readsBatches?: (() => boolean) | undefined;
  /** No further message will come. Called once. */
  readonly onClosed: () => void;
}

/** Carries JSON-RPC messages both ways, in order. Knows nothing of requests, versions or servers. */
export interface MessageChannel {
  /** To be called once, before the first message is sent. */
  listen(listeners: ChannelListeners): void;
  /** Resolves when the message is handed over, with back-pressure; rejects with `ChannelClosedError` when it cannot be. */
  send(message: JsonRpcMessage): Promise<void>;
  /** When the last byte came from the other side, by `performance.now()`. Default: with the last message. */
  readonly lastByteAt?: number | undefined;
  /** Present while the other side does not keep up with what was sent; resolves when it has, or has gone. Default: it does. */
  readonly drained?: Promise<void> | undefined;
}

/** A channel whose messages are lines of text, for who writes many of them by hand. */
export interface LineChannel extends MessageChannel {
  /**
   * Hands over whole messages, each with the end of its line. `closed`: nothing was written. A promise: it was written,
   * and the next should wait until this resolves, since the other side does not keep up.
   */
  sendLines(text: string): 'taken' | 'closed' | Promise<void>;
}

export function isLineChannel(channel: MessageChannel): channel is LineChannel {
  return 'sendLines' in channel;
}

/** Nothing was sent: whoever wanted to may try elsewhere. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError';
}
