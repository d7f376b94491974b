import { isRecord } from '@x/internal/json';
import type { Redactor } from '@x/mcp-config-schema';
import { RegistryError, type RoleApproval } from '@x/mcp-registry';
import type { ApprovalQueue, ApprovalRequest, AskApproval } from '@x/mcp-registry/interceptors';
import type { HandleServerRequest } from '../control/control.js';

/** Longest wait for an answer, in milliseconds. */
const timeoutMs = 300_000;
/** Time left for the error of a call that was held. */
const answerMs = 1_000;

/** How the command that makes a call takes part in its approval. */
export interface CallingCommand {
  /** `ask`: its user is asked. `yes`: its user has approved the call in advance. Default: others may be asked. */
  readonly approval?: 'ask' | 'yes' | undefined;
  /** Receives `ApprovalQuestion`, `ApprovalNotice` and `ElicitationRequest`. */
  readonly onServerRequest?: HandleServerRequest | undefined;
}

/** Asks the user of a command. The response is `{ isApproved }`. */
export interface ApprovalQuestion {
  readonly method: 'approval/ask';
  /** See `ApprovalRequest`. */
  readonly params: Pick<ApprovalRequest, 'text' | 'isWhole' | 'args'>;
}

/** Reports to a command that its call waits. The response is ignored. */
export interface ApprovalNotice {
  readonly method: 'approval/waits';
  readonly params: Pick<ApprovalRequest, 'id' | 'expiresAt'>;
}

/** Names of those who answer, for audit events. */
export type ApprovedBy = 'terminal' | 'command' | 'dashboard';

type Redaction = Pick<Redactor, 'redact' | 'redactData'>;

/** Asks the user of a terminal whether a call may run. Hides secrets of servers. */
export async function askTerminal(
  terminal: HandleServerRequest,
  { text, isWhole, args }: ApprovalQuestion['params'],
  { redact, redactData, signal }: Redaction & { readonly signal: AbortSignal },
): Promise<boolean> {
  const params = { text: redact(text), isWhole, args: redactData(args) as typeof args };
  const question: ApprovalQuestion = { method: 'approval/ask', params };
  const response = await terminal(question, { signal });
  return isRecord(response) && response.isApproved === true;
}

interface CallApprovalsOptions extends Redaction {
  /** True if calls that no user can be asked about wait for an answer by `answer`. Otherwise they are refused. */
  readonly holdsCalls: boolean;
}

/** Approvals of calls in one process. */
export class CallApprovals implements Disposable {
  /** The caller's own terminal first; others only where it cannot ask. */
  readonly byRole: RoleApproval;
  readonly #options: CallApprovalsOptions;
  /** By the signal of the call. */
  readonly #commands = new WeakMap<AbortSignal, CallingCommand>();
  readonly #listeners = new Set<() => void>();
  #queue: Promise<ApprovalQueue> | undefined;
  #waiting: readonly ApprovalRequest[] = [];

  constructor(options: CallApprovalsOptions) {
    this.#options = options;
    this.byRole = async (rules) => {
      const { approveByRole } = await import('@x/mcp-registry/interceptors');
      const ofClients = await approveByRole({ ask: ['elicitation', this.hold], timeoutMs })(rules);
      // A command without a terminal would cancel an elicitation, which would deny the call.
      const ofCommands = await approveByRole({ ask: [this.#askCommand, this.hold], timeoutMs })(rules);
      return {
        name: ofClients.name,
        call: (call, next) => (this.#isOfCommand(call.options) ? ofCommands : ofClients).call?.(call, next) ?? next(),
      };
    };
  }

  /** Makes a call of a command, with a signal of its own. */
  during<Result>(
    command: CallingCommand,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal | undefined) => Promise<Result>,
  ): Promise<Result> {
    if (command.approval === undefined && command.onServerRequest === undefined) return call(signal);
    const own = AbortSignal.any(signal === undefined ? [] : [signal]);
    this.#commands.set(own, command);
    return call(own);
  }

  /** The calls that wait, oldest first. */
  get waiting(): readonly ApprovalRequest[] {
    return this.#waiting;
  }

  /** Calls `listener` after each change of `waiting`. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** False if no such call waits any more. */
  async answer(
    id: string,
    { isApproved, ...decision }: { readonly isApproved: boolean; readonly by: ApprovedBy; readonly reason?: string },
  ): Promise<boolean> {
    const queue = await this.#queue;
    if (queue === undefined) return false;
    return isApproved ? queue.approve(id, decision) : queue.deny(id, decision);
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
  }

  #isOfCommand({ signal }: { readonly signal?: AbortSignal | undefined }): boolean {
    return signal !== undefined && this.#commands.has(signal);
  }

  readonly #askCommand: AskApproval = async (request, { options, signal }) => {
    const { approval, onServerRequest } = (options.signal && this.#commands.get(options.signal)) ?? {};
    if (approval === 'yes') return { decision: 'approve', by: 'command' };
    if (approval !== 'ask' || onServerRequest === undefined) return undefined;
    const isApproved = await askTerminal(onServerRequest, request, { ...this.#options, signal });
    return { decision: isApproved ? 'approve' : 'deny', by: 'terminal' };
  };

  /** Asks others than the caller. `undefined` where no call may wait. */
  readonly hold: AskApproval = async (request, context) => {
    if (!this.#options.holdsCalls) return undefined;
    const queue = await this.#openQueue();
    const { options, signal } = context;
    const { id, expiresAt } = request;
    const { onServerRequest } = (options.signal && this.#commands.get(options.signal)) ?? {};
    const notice: ApprovalNotice = { method: 'approval/waits', params: { id, expiresAt } };
    void onServerRequest?.(notice, { signal }).catch(() => undefined); // a command that is gone ends its call
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(notInTime(request)), timeoutMs - answerMs);
    try {
      return await queue.ask(request, { options, signal: AbortSignal.any([signal, limit.signal]) });
    } finally {
      clearTimeout(timer);
    }
  };

  #openQueue(): Promise<ApprovalQueue> {
    this.#queue ??= import('@x/mcp-registry/interceptors').then(({ createApprovalQueue }) => {
      const queue = createApprovalQueue();
      const update = (): void => {
        this.#waiting = queue.pending();
        for (const listener of [...this.#listeners]) listener();
      };
      queue.events.on('approval-requested', update);
      queue.events.on('approval-settled', update);
      return queue;
    });
    return this.#queue;
  }
}

function notInTime({ name }: ApprovalRequest): RegistryError {
  const advice = 'call again, and approve it with "mcpx approvals" or on the dashboard';
  return new RegistryError('refused', `The call of ${name} was not approved in time; ${advice}. It was not run`, {
    tool: name,
  });
}
