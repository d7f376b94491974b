import type { CallHandler } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { plainHandler } from '@x/internal/views';
import type { ApprovalAnswer, ApprovalContext, ApprovalRequest } from './approval-request.js';

const requestedSchema = {
  type: 'object',
  properties: { decision: { type: 'string', title: 'Decision', enum: ['deny', 'approve'] } },
  required: ['decision'],
};

/** Asks the caller's user through the client of the call. `undefined` if it cannot ask, or not show the whole call. */
export async function askByElicitation(
  { text, isWhole, server = '' }: ApprovalRequest,
  { signal, options: { handler } }: ApprovalContext,
): Promise<ApprovalAnswer | undefined> {
  const client = handler && plainHandler(handler);
  if (client === undefined || !asksForms(client) || !isWhole) return undefined;
  const question = { method: 'elicitation/create', params: { message: text, requestedSchema } };
  const { action, content } = await client.answer(question, { server, signal });
  const isApproved = action === 'accept' && isRecord(content) && content.decision === 'approve';
  return { decision: isApproved ? 'approve' : 'deny', by: "the client's user" };
}

/** A client that declares no modes supports forms. */
function asksForms({ capabilities: { elicitation } }: CallHandler): boolean {
  return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}
