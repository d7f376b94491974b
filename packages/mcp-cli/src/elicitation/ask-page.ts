import { quote } from '@x/internal/text';
import type { Io } from '../command.js';
import { askOne } from '../output/ask.js';
import type { ElicitResult } from './ask-form.js';
import { warningsAbout, webAddress } from './web-address.js';

/**
 * Shows the address of a page and opens it after a yes. Nothing is requested from it before.
 *
 * @throws {CommandError} The user pressed Escape or Ctrl-C.
 */
export async function askPage(server: string, address: unknown, io: Io): Promise<ElicitResult> {
  const { stderr } = io;
  const url = webAddress(address);
  if (url === undefined) {
    stderr.write(
      `The address ${quote(String(address))} is not a web page that can be shown whole, so it was declined.\n`,
    );
    return { action: 'decline' };
  }
  stderr.write(`\n  Page: ${url.href}\n  Host: ${url.host}\n\n`);
  for (const warning of warningsAbout(url)) stderr.write(`warning: ${warning}\n`);
  const action = await askOne(`Open this page for "${server}"?`, ways, io, { initial: 'decline' });
  if (action !== 'accept') return { action };
  const isOpened = (await io.openPage?.(url)) ?? false;
  if (!isOpened) stderr.write('There is no browser here. Open the page yourself.\n');
  return { action };
}

const ways = [
  { value: 'accept', label: 'Open the page' },
  { value: 'decline', label: 'Decline' },
  { value: 'cancel', label: 'Cancel' },
] as const;
