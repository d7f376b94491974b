import { FleetError, type FleetErrorCode, type FleetErrorOptions } from '../../errors.js';

export interface CallTarget {
  readonly owner: string;
  readonly incarnation: number;
  readonly server: string;
  readonly tool: string;
}

/** Progress of a call. The owner cannot start it before `sent`, and has started it when `accepted`. */
export type CallProgress = 'unsent' | 'sent' | 'accepted';

export function notDelivered(target: CallTarget): FleetError {
  return failure(
    target,
    'node-unreachable',
    `cannot be made: the node ${target.owner} is unreachable; nothing was run`,
  );
}

export function ownerLost(target: CallTarget, progress: CallProgress): FleetError {
  if (progress === 'unsent') return notDelivered(target);
  const what = progress === 'accepted' ? 'had started it' : 'may have received it';
  const message = `has no known outcome: the node ${target.owner} is gone, which ${what}; it may or may not have had its effect`;
  return failure(target, 'outcome-unknown', message);
}

export function timedOut(target: CallTarget, progress: CallProgress, timeoutMs: number): FleetError {
  const late = `was not answered within ${timeoutMs} milliseconds`;
  return progress === 'unsent'
    ? failure(target, 'timed-out', `${late}; its arguments were not sent completely, so nothing was run`, {
        retryable: true,
      })
    : failure(target, 'timed-out', `${late}; it may or may not have had its effect`);
}

export function cutOff(target: CallTarget, progress: CallProgress): FleetError {
  const effect = progress === 'unsent' ? 'nothing was run' : 'it may or may not have had its effect';
  return failure(target, 'closed', `was ended because this node left the fleet; ${effect}`);
}

export function forbidden(target: CallTarget): FleetError {
  return failure(target, 'forbidden', 'was rejected by the bus: this node lacks the permission; nothing was run');
}

export function argumentsTooLarge(target: CallTarget, bytes: number, maxBytes: number): FleetError {
  const message = `cannot be made: its arguments have ${bytes} bytes or more, and the limit is ${maxBytes}; nothing was run`;
  return failure(target, 'message-too-large', message);
}

export function resultTooLarge(target: CallTarget, bytes: number, maxBytes: number): FleetError {
  const message = `has a result of ${bytes} bytes, and the limit of this node is ${maxBytes}; the tool has run`;
  return failure(target, 'result-too-large', message);
}

export function resultLost(target: CallTarget, cause: unknown): FleetError {
  return failure(target, 'outcome-unknown', 'lost a part of its result; the tool has run', { cause });
}

export function unreadable(target: CallTarget): FleetError {
  const message = `received an unreadable reply; it may or may not have had its effect`;
  return failure(target, 'invalid-message', message);
}

function failure(
  { owner, server, tool }: CallTarget,
  code: FleetErrorCode,
  what: string,
  options: FleetErrorOptions = {},
): FleetError {
  return new FleetError(code, `The call of ${tool} on ${server}@${owner} ${what}`, { node: owner, server, ...options });
}
