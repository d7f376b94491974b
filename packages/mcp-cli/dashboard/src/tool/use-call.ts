import type { ToolCallResult, ToolProgress } from '@x/mcp-registry';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallFailure, callTool, messageOf, type ParamsOf } from '../api.js';

export type CallState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly startedAt: number; readonly progress?: ToolProgress | undefined }
  | { readonly phase: 'done'; readonly result: ToolCallResult; readonly tookMs: number }
  | { readonly phase: 'failed'; readonly message: string; readonly hint?: string | undefined; readonly tookMs: number }
  | { readonly phase: 'cancelled'; readonly tookMs: number };

export interface Caller {
  readonly state: CallState;
  readonly run: (params: Pick<ParamsOf<'call'>, 'tool' | 'args' | 'role'>) => void;
  readonly cancel: () => void;
}

/** One call at a time. It is cancelled when its view goes. */
export function useCall(adminKey: string): Caller {
  const [state, setState] = useState<CallState>({ phase: 'idle' });
  const ended = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ended.current?.abort(), []);
  const run: Caller['run'] = (params) => {
    ended.current?.abort();
    const current = new AbortController();
    const { signal } = current;
    ended.current = current;
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    setState({ phase: 'running', startedAt });
    const onProgress = (progress: ToolProgress) => {
      if (!signal.aborted) setState({ phase: 'running', startedAt, progress });
    };
    callTool(params, { adminKey, signal, onProgress }).then(
      (result) => {
        if (!signal.aborted) setState({ phase: 'done', result, tookMs: tookMs() });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        const hint = error instanceof CallFailure ? error.hint : undefined;
        setState({ phase: 'failed', message: messageOf(error), hint, tookMs: tookMs() });
      },
    );
  };
  const cancel = () => {
    if (state.phase !== 'running') return;
    ended.current?.abort();
    setState({ phase: 'cancelled', tookMs: performance.now() - state.startedAt });
  };
  return { state, run, cancel };
}
