import type { ToolCallResult } from '../contracts.js';
import { isBranded } from '../errors.js';
import { escapeHidden, toWireText } from '../text.js';

/** As text for clients that read only that, and as data. */
export function toPayloadResult(payload: object): ToolCallResult {
  const text = toWireText(payload);
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

/** The message as text, and all facts as data. @throws `error` itself if it is not about the request. */
export function toErrorPayload(error: unknown): ToolCallResult {
  const described = describeError(error);
  const text = described.message.split('\n').map(escapeHidden).join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { error: described }, isError: true };
}

const MISTAKES: readonly string[] = [
  'unknown-tool',
  'invalid-arguments',
  'refused',
  'invalid-query',
  'invalid-pattern',
  'invalid-cursor',
];

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  if (isRefusal(error) && MISTAKES.includes(error.code)) {
    const { code, message, reason, position, suggestions, faults } = error;
    return {
      code,
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(position === undefined ? {} : { position }),
      ...(suggestions.length > 0 ? { suggestions } : {}),
      ...(faults.length > 0 ? { faults } : {}),
    };
  }
  if (error instanceof TypeError) return { code: 'invalid-arguments', message: error.message };
  throw error;
}

const REFUSAL = Symbol.for('@x/mcp-registry.error');

/** The refusal of a view, from any installed copy of the registry. */
export type Refusal = Error & {
  readonly code: string;
  readonly position?: number | undefined;
  readonly reason?: string | undefined;
  readonly suggestions: readonly string[];
  readonly faults: readonly object[];
};

export function isRefusal(value: unknown): value is Refusal {
  return isBranded(value, REFUSAL);
}
