import { bytesToHex } from '@noble/hashes/utils.js';
import type { CallToolOptions, ToolArguments, ToolCaller } from '@x/internal/contracts';
import { sha256Of } from '@x/internal/digests';
import { canonicalJson } from '@x/internal/json';
import type { InterceptedCall, ToolView } from '@x/internal/views';
import type { ApprovalRules } from './approval-rules.js';
import { approvalText } from './approval-text.js';

/** One call that waits for a yes. Frozen. */
export interface ApprovalRequest {
  /** Unique among those that wait. */
  readonly id: string;
  /** `undefined` for the app's own tool. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
  /** Public name of the tool. */
  readonly name: string;
  /** A frozen copy, which is what the tool receives. */
  readonly args: ToolArguments;
  readonly caller: ToolCaller;
  readonly policy: string | undefined;
  /**
   * `sha256:` and 64 hexadecimal digits, over server, tool, its definition, arguments, caller and rules. An approval is
   * valid for this alone.
   */
  readonly digest: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  /** Several lines for people, of at most 6 000 characters. Hidden characters and look-alike letters are escaped. */
  readonly text: string;
  /** False if `text` leaves out a part of the call, such as the middle of a long argument. `args` has everything. */
  readonly isWhole: boolean;
}

/** The decision about a call, and who made it. */
export interface ApprovalAnswer {
  readonly decision: 'approve' | 'deny';
  /** For audit events. Default: the way of asking. */
  readonly by?: string | undefined;
  /** Part of the error for the caller. Default: none. */
  readonly reason?: string | undefined;
}

/** Context of a question, beside the request. */
export interface ApprovalContext {
  /** Aborts when the answer is no longer needed: the request has expired, or the call has ended. */
  readonly signal: AbortSignal;
  /** Options of the call, such as `handler`. */
  readonly options: CallToolOptions;
}

/** Asks a person or a program. `undefined`: this way cannot ask here, so the next one is tried. */
export type AskApproval = (
  request: ApprovalRequest,
  context: ApprovalContext,
) => ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;

type ApprovedCall = Pick<InterceptedCall, 'tool' | 'caller'>;

/** Digest of everything that an approval is bound to. */
export function bindingOf({ tool, caller }: ApprovedCall, args: ToolArguments, rules: ApprovalRules): string {
  const { role = null, principal = null } = caller;
  const bound = { server: tool.server ?? null, tool: definitionOf(tool), args, caller: { role, principal }, rules };
  return digestOf(canonicalJson(bound));
}

export function digestOf(text: string): string {
  return `sha256:${bytesToHex(sha256Of(text))}`;
}

function definitionOf({ name, tool, title, description, inputSchema, outputSchema, annotations }: ToolView) {
  return { name, tool, title, description, inputSchema, outputSchema, annotations };
}

interface RequestParts {
  readonly args: ToolArguments;
  readonly digest: string;
  readonly policy: string | undefined;
  readonly timeoutMs: number;
}

export function approvalRequest(
  { tool: { server, tool, name, inputSchema }, caller }: ApprovedCall,
  { args, digest, policy, timeoutMs }: RequestParts,
): ApprovalRequest {
  const id = bytesToHex(crypto.getRandomValues(new Uint8Array(6)));
  const expiresAt = new Date(Date.now() + timeoutMs).toISOString();
  const facts = { id, server, tool, name, args, caller, policy, digest, expiresAt };
  return Object.freeze({ ...facts, ...approvalText({ ...facts, inputSchema }) });
}
