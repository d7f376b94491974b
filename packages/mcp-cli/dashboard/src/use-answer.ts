import { useEffect, useState } from 'preact/hooks';
import { ask, messageOf } from './api.js';

export interface Answered<Answer> {
  readonly answer?: Answer | undefined;
  readonly problem?: string | undefined;
}

/** The answer to a question, asked again whenever it or `version` changes. What was answered stays until then. */
export function useAnswer<Answer>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  version: string | number = 0,
): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({});
  const question = JSON.stringify(query);
  useEffect(() => {
    const left = new AbortController();
    ask<Answer>(path, JSON.parse(question) as Record<string, string>, left.signal).then(
      (answer) => setAnswered({ answer }),
      (error: unknown) => {
        if (!left.signal.aborted) setAnswered((before) => ({ ...before, problem: messageOf(error) }));
      },
    );
    return () => left.abort();
  }, [path, question, version]);
  return answered;
}
