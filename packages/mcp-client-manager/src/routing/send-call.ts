import { callInBackground } from '../session/call-in-background.js';
import type { CallHandle, OutgoingCall, Session } from '../session/session.js';

/** Sends a call by the shortest way there is. @throws What `CallLane.send` throws. */
export function sendCall(session: Session, call: OutgoingCall): CallHandle {
  if (session.lane) return session.lane.send(call);
  return callInBackground(call, (tool, args, options) => session.callTool(tool, args, options));
}
