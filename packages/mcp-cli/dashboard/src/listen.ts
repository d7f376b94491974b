import { whyNot } from './api.js';

export interface Listeners {
  readonly onMessage: (message: unknown) => void;
  /** Connected, perhaps again: what is kept is sent once more. */
  readonly onOpen?: () => void;
  /** It is tried again. */
  readonly onLost?: (reason: string) => void;
  /** This page will not be answered any more. */
  readonly onEnd?: (reason: string) => void;
}

export interface ListenOptions {
  /** After so many milliseconds without a message the connection counts as lost. Left out: silence is nothing to worry about. */
  readonly silenceMs?: number;
}

const retryMs = 3_000;
const noAnswer = 'The daemon does not answer.';

/**
 * Reads server-sent events while the page can be seen, until the result is called. A browser holds six connections to
 * one address, and hidden tabs would soon use them up.
 */
export function listen(
  url: string,
  { onMessage, onOpen, onLost, onEnd }: Listeners,
  { silenceMs }: ListenOptions = {},
): () => void {
  const left = new AbortController();
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
    if (silenceMs !== undefined) timer = setTimeout(() => retry(noAnswer), silenceMs);
  };
  const fail = async () => {
    close();
    onLost?.(noAnswer);
    // An event source does not say why it was refused; asking once more does.
    const { reason, isFinal } = await whyNot(url, left.signal);
    if (left.signal.aborted || events || document.hidden) return;
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
    expectMessage(); // what is frozen takes a connection, too, and never answers
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    left.abort();
    close();
  };
}
