import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, messageOf } from './api.js';

export interface Answered<Answer> {
  readonly answer?: Answer | undefined;
  readonly problem?: string | undefined;
}

/** Minimum interval of requests, in milliseconds, because servers change often and users type fast. */
const pauseMs = 250;

/**
 * The response to a request, repeated when `query` or `version` changes, one at a time. The previous response stays
 * until the next arrives.
 */
export function useAnswer<Answer>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  version: string | number = 0,
): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({});
  const question = JSON.stringify(query);
  const latest = useRef<{ version: string | number; wake: () => void }>({ version, wake: () => undefined });
  latest.current.version = version;
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const askOnce = async () => {
      try {
        const answer = await ask<Answer>(path, JSON.parse(question) as Record<string, string>, signal);
        if (!signal.aborted) setAnswered({ answer });
      } catch (error) {
        if (!signal.aborted) setAnswered((before) => ({ ...before, problem: messageOf(error) }));
      }
    };
    const keepAsking = async () => {
      while (!signal.aborted) {
        const asked = latest.current.version;
        await askOnce();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        if (latest.current.version !== asked || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          latest.current.wake = resolve;
        });
      }
    };
    void keepAsking();
    return () => {
      left.abort();
      latest.current.wake();
    };
  }, [path, question]);
  useEffect(() => latest.current.wake(), [version]);
  return answered;
}
