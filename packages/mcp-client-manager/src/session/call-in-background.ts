import type { CallHandle, OutgoingCall, Session } from './session.js';

/** Makes a call by the long way that every session has, and tells the call what becomes of it unless it was cancelled. */
export function callInBackground(call: OutgoingCall, callTool: Session['callTool']): CallHandle {
  const end = new AbortController();
  const onProgress = call.wantsProgress ? call.onProgress.bind(call) : undefined;
  const { tool, args, meta, params, inputRequired, host } = call;
  callTool(tool, args, { signal: end.signal, onProgress, meta, params, inputRequired, host }).then(
    (result) => {
      if (!end.signal.aborted) call.onResult(result);
    },
    (error: unknown) => {
      if (!end.signal.aborted) call.onFailure(error);
    },
  );
  return { isSent: true, cancel: (reason) => end.abort(reason) };
}
