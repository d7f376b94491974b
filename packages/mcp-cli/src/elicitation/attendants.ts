import { isRecord } from '@x/internal/json';
import type { ElicitationFallback, FallbackQuestion } from '@x/mcp-gateway';
import { askTerminal, type CallApprovals } from '../approvals/call-approvals.js';
import type { HandleServerRequest } from '../control/control.js';
import type { ControlBase } from '../control/control-base.js';
import { type ElicitationRequest, elicitationQuestion } from './command-client.js';

interface AttendantsOptions {
  readonly approvals: Pick<CallApprovals, 'waiting' | 'onChange' | 'answer'>;
  readonly base: Pick<ControlBase, 'redact' | 'redactData'>;
}

/** Terminals of this machine at which a person answers for clients of the daemon. */
export class Attendants implements ElicitationFallback {
  readonly #options: AttendantsOptions;
  readonly #present = new Set<HandleServerRequest>();

  constructor(options: AttendantsOptions) {
    this.#options = options;
  }

  get isAvailable(): boolean {
    return this.#present.size > 0;
  }

  async answer({ server, params, ...asking }: FallbackQuestion): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask(elicitationQuestion(server, params, this.#options.base), asking);
  }

  async visited({ server, ...asking }: Omit<FallbackQuestion, 'params'>): Promise<boolean> {
    const { action } = await this.#ask({ method: 'elicitation/visited', server, params: {} }, asking);
    return action === 'accept';
  }

  /** Asks at the terminal that came last. */
  async #ask(
    question: ElicitationRequest,
    { client, principal, signal }: Pick<FallbackQuestion, 'client' | 'principal' | 'signal'>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const terminal = [...this.#present].at(-1);
    if (terminal === undefined) return { action: 'cancel' };
    const caller = [client, principal].filter((name) => name !== undefined).join(', signed in as ');
    const response = await terminal({ ...question, ...(caller !== '' && { client: caller }) }, { signal });
    return isRecord(response) ? response : { action: 'cancel' };
  }

  /** Asks a terminal about calls that wait for an approval, and about what servers ask, until the signal aborts. */
  async attend(terminal: HandleServerRequest, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    using _approvals = this.#askApprovals(terminal, signal);
    this.#present.add(terminal);
    try {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    } finally {
      this.#present.delete(terminal);
    }
  }

  #askApprovals(terminal: HandleServerRequest, signal: AbortSignal): Disposable {
    const { approvals, base } = this.#options;
    const asked = new Map<string, AbortController>();
    const update = (): void => {
      const waiting = new Map(approvals.waiting.map((request) => [request.id, request]));
      for (const [id, question] of asked) {
        if (waiting.has(id)) continue;
        asked.delete(id);
        question.abort(); // answered elsewhere, or cancelled
      }
      for (const [id, request] of waiting) {
        if (asked.has(id)) continue;
        const question = new AbortController();
        asked.set(id, question);
        const ended = AbortSignal.any([signal, question.signal]);
        askTerminal(terminal, request, { ...base, signal: ended }).then(
          (isApproved) => {
            if (!ended.aborted) void approvals.answer(id, { isApproved, by: 'terminal' });
          },
          () => undefined, // the terminal is gone: the call waits for another answer
        );
      }
    };
    const listening = approvals.onChange(update);
    update();
    return listening;
  }
}
