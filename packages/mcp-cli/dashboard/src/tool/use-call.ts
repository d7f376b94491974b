import type { ToolCallResult, ToolProgress } from '@x/mcp-registry';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { QuestionAnswer, QuestionView } from '../../../src/dashboard/page-messages.js';
import {
  answerQuestion,
  CallFailure,
  type CallMethod,
  type CallParams,
  type CallResult,
  callServer,
  messageOf,
} from '../api.js';

export type CallState<Result = ToolCallResult> =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly startedAt: number; readonly progress?: ToolProgress | undefined }
  | { readonly phase: 'done'; readonly result: Result; readonly tookMs: number }
  | { readonly phase: 'failed'; readonly message: string; readonly hint?: string | undefined; readonly tookMs: number }
  | { readonly phase: 'cancelled'; readonly tookMs: number };

export interface Caller<Name extends CallMethod = 'call'> {
  readonly state: CallState<CallResult<Name>>;
  readonly run: (params: CallParams<Name>) => void;
  readonly cancel: () => void;
  /** The question of the server that waits longest. */
  readonly question: QuestionView | undefined;
  readonly answer: (answer: QuestionAnswer) => void;
}

/** One request at a time. It is cancelled when its view goes. */
export function useCall<Name extends CallMethod>(method: Name, adminKey: string): Caller<Name> {
  type State = CallState<CallResult<Name>>;
  const [state, setState] = useState<State>({ phase: 'idle' });
  const [questions, setQuestions] = useState<readonly QuestionView[]>([]);
  const ended = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ended.current?.abort(), []);
  const run: Caller<Name>['run'] = (params) => {
    ended.current?.abort();
    const current = new AbortController();
    const { signal } = current;
    ended.current = current;
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    const settle = (next: State) => {
      if (signal.aborted) return;
      setQuestions([]);
      setState(next);
    };
    setState({ phase: 'running', startedAt });
    setQuestions([]);
    callServer(method, params, {
      adminKey,
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) setState({ phase: 'running', startedAt, progress });
      },
      onQuestion: (question) => {
        if (!signal.aborted) setQuestions((before) => [...before, question]);
      },
      onWithdrawn: (id) => setQuestions((before) => before.filter((each) => each.id !== id)),
    }).then(
      (result) => settle({ phase: 'done', result, tookMs: tookMs() }),
      (error: unknown) => {
        const hint = error instanceof CallFailure ? error.hint : undefined;
        settle({ phase: 'failed', message: messageOf(error), hint, tookMs: tookMs() });
      },
    );
  };
  const cancel = () => {
    if (state.phase !== 'running') return;
    ended.current?.abort();
    setQuestions([]);
    setState({ phase: 'cancelled', tookMs: performance.now() - state.startedAt });
  };
  const [question] = questions;
  const answer = (given: QuestionAnswer) => {
    if (!question) return;
    setQuestions((before) => before.filter(({ id }) => id !== question.id));
    // The request ends by itself when the connection is lost.
    answerQuestion(question.id, given, adminKey).catch(() => undefined);
  };
  return { state, run, cancel, question, answer };
}
