import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type LookMethod, messageOf, type ParamsOf, type ResultOf, request } from './api.js';

interface ResponseState<Result> {
  readonly response?: Result | undefined;
  readonly problem?: string | undefined;
}

/** Minimum interval of requests, in milliseconds, because servers change often and users type fast. */
const pauseMs = 250;

/** A report of the page. See `useRepeated`. */
export function useReport<Result>(
  path: string,
  version: string | number = 0,
  query: Readonly<Record<string, string>> = {},
): ResponseState<Result> {
  const key = JSON.stringify([path, query]);
  return useRepeated<Result>(key, (signal) => get<Result>(path, query, signal), version);
}

/** The result of a request that changes nothing; none without `params`. `adminKey`: as for `request`. See `useRepeated`. */
export function useMethod<Name extends LookMethod>(
  method: Name,
  params: ParamsOf<Name> | undefined,
  version: string | number = 0,
  adminKey?: string,
): ResponseState<ResultOf<Name> | undefined> {
  const ask = async (signal: AbortSignal): Promise<ResultOf<Name> | undefined> =>
    params && (await request(method, params, signal, adminKey));
  return useRepeated(JSON.stringify([method, params]), ask, version);
}

/**
 * The response to a request, repeated when `key` or `version` changes, one at a time. The previous response stays until
 * the next arrives.
 */
function useRepeated<Result>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Result>,
  version: string | number,
): ResponseState<Result> {
  const [state, setState] = useState<ResponseState<Result>>({});
  const latest = useRef<{ version: string | number; ask: typeof ask; wake: () => void }>({
    version,
    ask,
    wake: () => undefined,
  });
  latest.current.version = version;
  latest.current.ask = ask;
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const requestOnce = async () => {
      try {
        const response = await latest.current.ask(signal);
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
  }, [key]);
  useEffect(() => latest.current.wake(), [version]);
  return state;
}
