import type { ToolArguments } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';
import type { RegistryError } from '../errors.js';
import { LateModule } from '../late-module.js';
import type { StandardIssue } from '../standard-schema.js';
import type { ToolDescription } from '../tool-description.js';

/** Loaded with the first checked call or description. */
export const argumentCode = new LateModule(() => import('./read-arguments.js'));

/**
 * Checks arguments against the tool's input schema.
 *
 * @returns A promise while the code loads; call again then. `undefined` if the arguments fit.
 * @throws {RegistryError} `invalid-arguments`.
 */
export function refuseUnfit(view: ToolView, args: ToolArguments): Promise<unknown> | undefined {
  const code = argumentCode.loaded;
  if (code === undefined) return argumentCode.load();
  const loading = code.loadEngineFor([view.inputSchema]);
  if (loading === undefined) code.refuseUnfit(view, args);
  return loading;
}

/** Checks arguments once more. @throws {RegistryError} `invalid-arguments`. */
export async function checkAgain(view: ToolView, args: ToolArguments): Promise<void> {
  const code = await argumentCode.load();
  await code.loadEngineFor([view.inputSchema]);
  code.refuseUnfit(view, args);
}

/** Rejects with `invalid-arguments`. */
export async function refuseNonObject(view: ToolView, args: unknown): Promise<never> {
  const { notAnObject } = await argumentCode.load();
  throw notAnObject(view, args);
}

export async function refusedByReader(
  view: ToolView,
  args: ToolArguments,
  issues: readonly StandardIssue[],
): Promise<RegistryError> {
  const code = await argumentCode.load();
  await code.loadEngineFor([view.inputSchema]);
  return code.refusedByReader(view, args, issues);
}

export async function describeTool(tool: ToolView): Promise<ToolDescription> {
  const code = await argumentCode.load();
  await code.loadEngineFor([tool.inputSchema]);
  return code.toDescription(tool);
}
