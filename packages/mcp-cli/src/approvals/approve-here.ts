import { isRecord } from '@x/internal/json';
import { toWireText } from '@x/internal/text';
import { CommandError, type Io } from '../command.js';
import { askYesNo } from '../output/ask.js';
import { printable } from '../output/print.js';

/** Handles an `ApprovalQuestion` or an `ApprovalNotice` in the terminal. */
export async function approveHere(question: unknown, io: Io): Promise<object> {
  const { method, params } = isRecord(question) ? question : {};
  if (method === 'approval/waits') return showWait(params, io);
  if (method === 'approval/ask') return { isApproved: await ask(params, io) };
  throw new TypeError(`There is no handler for the request ${String(method)}`);
}

function showWait(params: unknown, { stderr }: Io): object {
  const { id, expiresAt } = isRecord(params) ? params : {};
  stderr.write(
    printable(`The call waits for an approval until ${expiresAt}: run "mcpx approvals approve ${id}", or "deny".\n`),
  );
  return {};
}

async function ask(params: unknown, io: Io): Promise<boolean> {
  const { text, isWhole, args } = isRecord(params) ? params : {};
  if (typeof text !== 'string') return false;
  io.stderr.write(`${printable(text)}\n`);
  if (isWhole !== true) io.stderr.write(`All arguments: ${toWireText(args)}\n`);
  try {
    return await askYesNo('Approve this call?', io);
  } catch (error) {
    if (error instanceof CommandError) return false; // Escape or Ctrl-C
    throw error;
  }
}
