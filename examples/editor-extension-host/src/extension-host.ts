// The process in which an editor runs its extensions. It has a channel to the editor, and no terminal.
import { closeSync, openSync } from 'node:fs';
import { connect } from './channel.js';
import { activate, commands, deactivate, type ExtensionContext } from './extension.js';

const request = connect(process, {
  activate: (folders: Pick<ExtensionContext, 'storage' | 'workspace'>) =>
    activate({
      ...folders,
      showWarningMessage: (message, ...items) => request('showWarningMessage', { message, items }),
    }),
  deactivate,
  about: () => ({ path: process.env.PATH, hasTerminal: hasTerminal() }),
  ...commands,
});

process.once('disconnect', deactivate); // the editor has gone, perhaps without a word

function hasTerminal(): boolean {
  if (process.stdin.isTTY || process.platform === 'win32') return process.stdin.isTTY;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
