import type { CallHandle, OutgoingCall, Session } from '../session/session.js';

/** Sends a call by the shortest way there is. @throws What `CallLane.send` throws. */
export function sendCall(session: Session, call: OutgoingCall): CallHandle {
  if (session.lane) return session.lane.send(call);
  const end = new AbortController();
  const onProgress = call.wantsProgress
    ? (progress: Parameters<typeof call.onProgress>[0]) => call.onProgress(progress)
    : undefined;
  const { tool, args, meta, params, inputRequired, host } = call;
  session.callTool(tool, args, { signal: end.signal, onProgress, meta, params, inputRequired, host }).then(
    (result) => call.onResult(result),
    (error: unknown) => call.onFailure(error),
  );
  return { isSent: true, cancel: (reason) => end.abort(reason) };
}
