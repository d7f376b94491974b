import { onAbort } from '@x/internal/async';
import type { EventSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { optionTable } from '@x/internal/options';
import type { ApprovalAnswer, ApprovalContext, ApprovalRequest, AskApproval } from './approval-request.js';

/** Events of a queue. */
export interface ApprovalQueueEvents {
  /** A call waits. */
  'approval-requested': ApprovalRequest;
  /** A call no longer waits. `withdrawn`: it expired or was cancelled. */
  'approval-settled': {
    readonly request: ApprovalRequest;
    readonly outcome: 'approved' | 'denied' | 'withdrawn';
    readonly by?: string | undefined;
  };
}

/** Name of the person or program that answers, and the reason. */
export interface ApprovalDecision {
  /** For audit events. */
  readonly by: string;
  /** Part of the error for the caller, if it is denied. Default: none. */
  readonly reason?: string | undefined;
}

/** Calls that wait for an answer from elsewhere, such as a page. At most those that `approveCalls` lets wait. */
export interface ApprovalQueue {
  /** A way of asking, for `approveCalls({ ask })`. */
  readonly ask: AskApproval;
  readonly events: EventSource<ApprovalQueueEvents>;
  /** The waiting calls, oldest first. */
  pending(): readonly ApprovalRequest[];
  /** Lets one call run, once. False if none waits under this id: it was answered, cancelled, or has expired. */
  approve(id: string, decision: ApprovalDecision): boolean;
  /** Refuses one call. False as for `approve`. */
  deny(id: string, decision: ApprovalDecision): boolean;
}

const decisionOptions = optionTable<ApprovalDecision>()({
  by: { kind: 'text', required: true },
  reason: { kind: 'text' },
});

interface Waiting {
  readonly request: ApprovalRequest;
  readonly resolve: (answer: ApprovalAnswer) => void;
}

/** Creates an empty queue. */
export function createApprovalQueue(): ApprovalQueue {
  return new LiveQueue();
}

class LiveQueue implements ApprovalQueue {
  readonly #events = new Emitter<ApprovalQueueEvents>({ 'approval-requested': true, 'approval-settled': true });
  readonly #waiting = new Map<string, Waiting>();
  readonly ask: AskApproval = (request, context) => this.#wait(request, context);

  get events(): EventSource<ApprovalQueueEvents> {
    return this.#events;
  }

  pending(): readonly ApprovalRequest[] {
    return Array.from(this.#waiting.values(), ({ request }) => request);
  }

  approve(id: string, decision: ApprovalDecision): boolean {
    return this.#answer(id, 'approve', decision);
  }

  deny(id: string, decision: ApprovalDecision): boolean {
    return this.#answer(id, 'deny', decision);
  }

  #wait(request: ApprovalRequest, { signal }: ApprovalContext): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        reject(signal.reason);
        if (this.#waiting.delete(request.id)) this.#events.emit('approval-settled', { request, outcome: 'withdrawn' });
      };
      if (signal.aborted) return reject(signal.reason);
      const ignore = onAbort(signal, withdraw);
      this.#waiting.set(request.id, {
        request,
        resolve: (answer) => {
          ignore();
          resolve(answer);
        },
      });
      this.#events.emit('approval-requested', request);
    });
  }

  #answer(id: string, decision: ApprovalAnswer['decision'], given: ApprovalDecision): boolean {
    const { by, reason } = decisionOptions.read(given);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    waiting.resolve({ decision, by, reason });
    const outcome = decision === 'approve' ? 'approved' : 'denied';
    this.#events.emit('approval-settled', { request: waiting.request, outcome, by });
    return true;
  }
}
