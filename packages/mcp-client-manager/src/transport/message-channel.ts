/** Any JSON-RPC message; who reads it narrows it. */
export type JsonRpcMessage = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' };

export interface ChannelListeners {
  readonly onMessage: (message: JsonRpcMessage) => void;
  /** Something arrived that is not a message. Never fatal. */
  readonly onJunk: (text: string) => void;
  /** No further message will come. Called once. */
  readonly onClosed: () => void;
}

/** Carries JSON-RPC messages both ways, in order. Knows nothing of requests, versions or servers. */
export interface MessageChannel {
  /** To be called once, before the first message is sent. */
  listen(listeners: ChannelListeners): void;
  /** Resolves when the message is handed over, with back-pressure; rejects with `ChannelClosedError` when it cannot be. */
  send(message: JsonRpcMessage): Promise<void>;
}

/** Nothing was sent: whoever wanted to may try elsewhere. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError';
}
