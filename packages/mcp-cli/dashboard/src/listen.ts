import { failureReason } from './api.js';

export interface Listeners {
  readonly onMessage: (message: unknown) => void;
  /** Called after each connection, including reconnections, which send everything again. */
  readonly onOpen?: () => void;
  /** Called before each retry. */
  readonly onLost?: (reason: string) => void;
  /** Called when no retry can succeed. */
  readonly onEnd?: (reason: string) => void;
}

interface ListenOptions {
  /** Silence in milliseconds after which the connection counts as lost. Default: no limit. */
  readonly silenceMs?: number;
}

const retryMs = 3_000;
const noResponse = 'The daemon does not respond.';

/**
 * Reads server-sent events until the returned function is called. Disconnects hidden pages, because browsers allow only
 * six connections per address.
 */
export function listen(
  url: string,
  { onMessage, onOpen, onLost, onEnd }: Listeners,
  { silenceMs }: ListenOptions = {},
): () => void {
  const ended = new AbortController();
  let events: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    events?.close();
    events = undefined;
  };
  const retry = (reason: string) => {
    close();
    onLost?.(reason);
    timer = setTimeout(follow, retryMs);
  };
  const expectMessage = () => {
    clearTimeout(timer);
    if (silenceMs !== undefined) timer = setTimeout(() => retry(noResponse), silenceMs);
  };
  const fail = async () => {
    close();
    onLost?.(noResponse);
    // An event source does not report the reason of a failure; a plain request does.
    const { reason, isFinal } = await failureReason(url, ended.signal);
    if (ended.signal.aborted || events || document.hidden) return;
    if (isFinal) onEnd?.(reason);
    else retry(reason);
  };
  const follow = () => {
    if (document.hidden) close();
    if (document.hidden || events) return;
    clearTimeout(timer);
    const source = new EventSource(url);
    events = source;
    source.onopen = () => {
      expectMessage();
      onOpen?.();
    };
    source.onmessage = ({ data }) => {
      expectMessage();
      onMessage(JSON.parse(data as string));
    };
    source.onerror = () => void fail();
    expectMessage(); // a frozen daemon accepts connections and never responds
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    ended.abort();
    close();
  };
}
