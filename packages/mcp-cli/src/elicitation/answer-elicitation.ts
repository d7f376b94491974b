import { isRecord } from '@x/internal/json';
import { CommandError, type Io } from '../command.js';
import { askOne, canAsk } from '../output/ask.js';
import { prefixedRows } from '../output/fit.js';
import { printable, printableLine } from '../output/print.js';
import { askForm, type ElicitResult } from './ask-form.js';
import { askPage } from './ask-page.js';
import type { ElicitationRequest } from './command-client.js';
import { webAddress } from './web-address.js';

const maxMessageLength = 4_000;

/**
 * Asks the user on the terminal what a server requests. Without a terminal the request is cancelled and shown on stderr.
 *
 * @throws {Error} With the code of invalid params: the form cannot be asked.
 */
export async function answerElicitation(
  { method, server: name, client, params }: ElicitationRequest,
  io: Io,
): Promise<ElicitResult> {
  const server = printableLine(name, 200);
  if (method === 'elicitation/visited') return await askVisited(server, io);
  const { mode, message, url, requestedSchema } = isRecord(params) ? params : {};
  const isPage = mode === 'url';
  if (!canAsk(io)) return cancelUnasked(server, message, isPage ? url : undefined, io);
  const wants = isPage ? 'asks you to open a page' : 'asks';
  const call = client === undefined ? '' : `, for a call of ${printableLine(client, 100)}`;
  io.stderr.write(`Server "${server}" ${wants}${call}:\n${indented(message, io)}\n`);
  try {
    const result = await (isPage ? askPage(server, url, io) : askForm(server, requestedSchema, io));
    if (result.action === 'cancel') sayCancelled(server, io);
    return result;
  } catch (error) {
    if (error instanceof CommandError) {
      sayCancelled(server, io);
      return { action: 'cancel' };
    }
    io.stderr.write(`The request of "${server}" cannot be asked: ${printableLine(String(error), 300)}\n`);
    throw error;
  }
}

/** The server checks by itself what the user did on the page. */
async function askVisited(server: string, io: Io): Promise<ElicitResult> {
  const ways = [
    { value: 'accept', label: 'Try again' },
    { value: 'cancel', label: 'Cancel' },
  ] as const;
  try {
    const question = `Are you done on the page of "${server}"?`;
    return { action: await askOne(question, ways, io) };
  } catch (error) {
    if (error instanceof CommandError) return { action: 'cancel' }; // Escape or Ctrl-C
    throw error;
  }
}

function cancelUnasked(server: string, message: unknown, url: unknown, { stderr }: Io): ElicitResult {
  const page = webAddress(url);
  const asked = [printableLine(String(message ?? ''), 1_000), ...(page === undefined ? [] : [page.href])].join(' ');
  stderr.write(`Server "${server}" asks: ${asked}\nIt was cancelled, because there is no terminal to ask on.\n`);
  return { action: 'cancel' };
}

function sayCancelled(server: string, { stderr, signal }: Io): void {
  if (!signal.aborted) stderr.write(`The request of "${server}" was cancelled.\n`);
}

/** Each row has a mark, so that a server's text does not pass for that of the command. */
function indented(message: unknown, io: Io): string {
  const text = printable(typeof message === 'string' ? message : '');
  const shown = text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}… (cut)` : text;
  const lines = shown.replaceAll('\t', '  ').split('\n');
  const rows = lines.flatMap((line) => prefixedRows(line, { first: '  | ' }, io.stderr));
  return rows.slice(0, 60).join('\n');
}
