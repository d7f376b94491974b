interface Listeners {
  readonly onMessage: (message: unknown) => void;
  /** Connected, perhaps again: what is kept is sent once more. */
  readonly onOpen?: () => void;
  readonly onLost?: () => void;
}

/**
 * Reads server-sent events while the page can be seen, until the result is called. A browser holds six connections to
 * one address, and hidden tabs would soon use them up.
 */
export function listen(url: string, { onMessage, onOpen, onLost }: Listeners): () => void {
  let events: EventSource | undefined;
  const close = () => {
    events?.close();
    events = undefined;
  };
  const follow = () => {
    if (document.hidden) close();
    if (document.hidden || events) return;
    events = new EventSource(url);
    events.onopen = () => onOpen?.();
    events.onmessage = ({ data }) => onMessage(JSON.parse(data as string));
    events.onerror = () => onLost?.();
  };
  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
  };
}
