import { useEffect, useRef, useState } from 'preact/hooks';
import { get, messageOf } from './api.js';

interface ResponseState<Result> {
  readonly response?: Result | undefined;
  readonly problem?: string | undefined;
}

/** Minimum interval of requests, in milliseconds, because servers change often and users type fast. */
const pauseMs = 250;

/**
 * The response to a request, repeated when `query` or `version` changes, one at a time. The previous response stays
 * until the next arrives.
 */
export function useResponse<Result>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  version: string | number = 0,
): ResponseState<Result> {
  const [state, setState] = useState<ResponseState<Result>>({});
  const queryText = JSON.stringify(query);
  const latest = useRef<{ version: string | number; wake: () => void }>({ version, wake: () => undefined });
  latest.current.version = version;
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const requestOnce = async () => {
      try {
        const response = await get<Result>(path, JSON.parse(queryText) as Record<string, string>, signal);
        if (!signal.aborted) setState({ response });
      } catch (error) {
        if (!signal.aborted) setState((before) => ({ ...before, problem: messageOf(error) }));
      }
    };
    const repeatRequests = async () => {
      while (!signal.aborted) {
        const requested = latest.current.version;
        await requestOnce();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        if (latest.current.version !== requested || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          latest.current.wake = resolve;
        });
      }
    };
    void repeatRequests();
    return () => {
      ended.abort();
      latest.current.wake();
    };
  }, [path, queryText]);
  useEffect(() => latest.current.wake(), [version]);
  return state;
}
