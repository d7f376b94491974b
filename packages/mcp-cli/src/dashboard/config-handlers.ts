import type { ServerHandlers } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import type { EditSources } from './editing/server-edit.js';

/** Requests about the files of the config. */
export type ConfigHandlers = Pick<
  ServerHandlers,
  'configFiles' | 'serverEdit' | 'planServerEdit' | 'applyServerEdit' | 'planEditUndo' | 'undoServerEdit'
>;

/** Loads the code with the first request. */
export function configHandlers(sources: EditSources): ConfigHandlers {
  return {
    configFiles: async () => (await import('./config-files.js')).configFilesView(sources),
    serverEdit: async ({ server }) => (await editing()).serverEditView(server, sources),
    planServerEdit: async (edit) => (await editing()).planServerEdit(edit, sources),
    applyServerEdit: async (edit) => (await editing()).applyServerEdit(edit, sources),
    planEditUndo: async ({ change }) => (await undoing()).planEditUndo(change, sources),
    undoServerEdit: async ({ change }) => (await undoing()).undoServerEdit(change, sources),
  };
}

const editing = () => import('./editing/server-edit.js');
const undoing = () => import('./editing/edit-undo.js');

/** For servers without a daemon. */
export const noConfig: ConfigHandlers = {
  configFiles: async () => undefined,
  serverEdit: refuse,
  planServerEdit: refuse,
  applyServerEdit: refuse,
  planEditUndo: refuse,
  undoServerEdit: refuse,
};

async function refuse(): Promise<never> {
  throw new ControlError('daemon-not-running', 'Only the daemon edits a config.', { hint: 'Start it with "mcpx up".' });
}
